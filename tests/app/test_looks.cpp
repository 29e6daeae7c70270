// SPDX-License-Identifier: MIT
// Every page and dialog with measured content, at the sizes, themes and text lengths that reviewers look at, as
// pictures in <build>/screenshots; and the checks themselves, each on a defect made for it.
#include "app/charts/figureview.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "core/base/files.h"
#include "core/protocol/phase.h"
#include "core/spec/schema.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/pseudolanguage.h"
#include "tests/app/support/windowfixture.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <QVBoxLayout>

namespace ringside::test {

namespace {

constexpr const char* kFewRuns = R"(format = 1
name = "few"
[factors]
ranks = [1, 2]
[fixed]
model = "lenet"
image_size = 9
batch_per_rank = 4
[runs]
repeats = 5
[base]
ranks = 1
)";

struct View
{
    PageId page;
    const char* name;
    const char* experiment;
    const char* show;
};

constexpr View kViews[] = {{PageId::welcome, "welcome", "", ""},
                           {PageId::experiments, "experiments", kMeasuredExperiment, ""},
                           {PageId::settings, "settings", "", ""},
                           {PageId::editor, "editor", kMeasuredExperiment, ""},
                           {PageId::monitor, "monitor", kMeasuredExperiment, ""},
                           {PageId::compare, "compare-throughput", kMeasuredExperiment, "throughput"},
                           {PageId::compare, "compare-speedup", kMeasuredExperiment, "speedup"},
                           {PageId::compare, "compare-efficiency", kMeasuredExperiment, "efficiency"},
                           {PageId::compare, "compare-phases", kMeasuredExperiment, "phases"},
                           {PageId::compare, "compare-timeline", kMeasuredExperiment, "timeline"},
                           {PageId::sites, "sites-without-any", "", ""}};

struct DialogCase
{
    View from;
    ActionId action;
    const char* name;
};

constexpr DialogCase kDialogs[] = {{kViews[6], ActionId::exportFigure, "export"},
                                   {kViews[3], ActionId::launch, "launch"}};

/// Returns the names that core has in tables.
QStringList coreNames()
{
    QStringList names;
    for (const spec::Setting& setting : spec::schema())
        names << toQt(setting.label);
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
        names << toQt(wordsOf(static_cast<Phase>(phase)).title);
    return names;
}

/// Labels and offered items that another language has not reached.
QStringList untranslatedIn(const QWidget& widget)
{
    QStringList texts, english;
    for (const auto* label : widget.findChildren<QLabel*>())
        texts << label->text();
    for (const auto* combo : widget.findChildren<QComboBox*>())
        for (int i = 0; i < combo->count(); ++i)
            texts << combo->itemText(i);
    for (const QString& name : coreNames())
        if (texts.contains(name))
            english << name;
    return english;
}

/// Returns the sentence that core composes of `english` with these arguments, in the pseudo-language.
QString composed(const char* english, std::initializer_list<QString> arguments)
{
    QString text = pseudo(QString::fromUtf8(english));
    for (const QString& argument : arguments)
        text.replace(text.indexOf(QStringLiteral("{}")), 2, argument);
    return text;
}

bool isRead(const QWidget& root, const QString& text)
{
    return waitFor([&] { return says(root, text); });
}

/// A window in one size, theme and language that is looked at piece by piece.
class Tour
{
public:
    Tour(QSize size, bool dark, bool longTexts, int textPercent)
        : m_fixture(dark ? Appearance::dark : Appearance::light)
        , m_suffix(QStringLiteral("-%1-%2%3%4")
                       .arg(size.width())
                       .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"),
                            longTexts ? QStringLiteral("-long") : QString(),
                            textPercent > 100 ? QStringLiteral("-text%1").arg(textPercent) : QString()))
    {
        m_fixture.preferences().setTextPercent(textPercent);
        m_fixture.theme().apply(dark ? Appearance::dark : Appearance::light, FontChoice::ringside, textPercent / 100.0);
        if (longTexts)
            QCoreApplication::installTranslator(&m_language); // after the fixture's, so that it is asked first
        m_fixture.fillStore();
        m_fixture.show(size);
    }

    void look(const View& view)
    {
        go(view);
        keep(m_fixture.window(), view.name);
    }

    void look(const DialogCase& dialog)
    {
        go(dialog.from);
        auto* action = m_fixture.window().actions()[dialog.action];
        QVERIFY(waitFor([&] { return action->isEnabled(); }));
        action->trigger();
        QVERIFY(waitFor([&] { return openDialog(m_fixture.window()); }));
        settle();
        keep(*openDialog(m_fixture.window()), dialog.name);
        openDialog(m_fixture.window())->reject();
        QVERIFY(waitFor([&] { return !openDialog(m_fixture.window()); }));
    }

    const QStringList& faults() const { return m_faults; }
    const QWidget& window() { return m_fixture.window(); }

private:
    void go(const View& view)
    {
        m_fixture.go(view.page, QString::fromLatin1(view.experiment), QString::fromLatin1(view.show));
        if (view.page == PageId::compare)
            QVERIFY(waitFor([&] { return isDrawn(view); }));
    }

    /// Not the figure that was there before.
    bool isDrawn(const View& view)
    {
        const auto* figure = m_fixture.window().currentPage()->findChild<FigureView*>();
        return m_fixture.window().actions()[ActionId::exportFigure]->isEnabled() && figure->figure().kind == view.show;
    }

    void keep(QWidget& widget, const char* name) { m_faults += lookAt(widget, QString::fromLatin1(name) + m_suffix); }

    WindowFixture m_fixture;
    PseudoLanguage m_language;
    QString m_suffix;
    QStringList m_faults;
};

/// A widget on screen at a size that its content was not asked about.
void showAt(QWidget& widget, QSize size)
{
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

} // namespace

class LooksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pages_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("longTexts");
        QTest::addColumn<int>("textPercent");
        for (const bool dark : {false, true})
            for (const QSize size : {QSize(1100, 700), QSize(1280, 800)})
                QTest::addRow("%dx%d %s", size.width(), size.height(), dark ? "dark" : "light")
                    << size << dark << false << 100;
        QTest::addRow("1100x700 light long") << QSize(1100, 700) << false << true << 100;
        QTest::addRow("1280x800 light text 130") << QSize(1280, 800) << false << false << 130;
        QTest::addRow("1100x700 light text 130") << QSize(1100, 700) << false << false << 130;
    }

    void pages()
    {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        QFETCH(bool, longTexts);
        QFETCH(int, textPercent);
        Tour tour(size, dark, longTexts, textPercent);
        for (const View& view : kViews)
            tour.look(view);
        tour.look(kViews[3]); // the editor: most of core's words
        if (longTexts)
            QVERIFY2(untranslatedIn(tour.window()).isEmpty(), qPrintable(untranslatedIn(tour.window()).join(u'|')));
        else
            QVERIFY(!untranslatedIn(tour.window()).isEmpty());
        for (const DialogCase& dialog : kDialogs)
            tour.look(dialog);
        for (const QString& fault : tour.faults())
            qWarning("%s", qPrintable(fault));
        QCOMPARE(tour.faults().size(), 0);
    }

    void checksReachAnotherLanguage()
    {
        WindowFixture fixture;
        PseudoLanguage language;
        QCoreApplication::installTranslator(&language); // after the fixture's, so that it is asked first
        const auto file = fixture.folder() / "few.toml";
        QVERIFY(writeFileAtomically(file, kFewRuns));
        fixture.show();
        fixture.window().openFile(toQt(file));
        QVERIFY(isRead(fixture.window(), composed("Repeats: {} give no 95 % interval; {} is the fewest.",
                                                  {QStringLiteral("5"), QStringLiteral("6")})));
        QVERIFY(isRead(fixture.window(), composed("Image size: {} is too small for {}.",
                                                  {QStringLiteral("9"), pseudo(QStringLiteral("LeNet"))})));
    }

    void errorsOfTheStoreReachAnotherLanguage()
    {
        WindowFixture fixture;
        PseudoLanguage language;
        QCoreApplication::installTranslator(&language);
        QVERIFY(writeFileAtomically(fixture.store(), "these are my notes"));
        fixture.show();
        QVERIFY(
            isRead(fixture.window(), composed("{} {}. It was not touched.",
                                              {toQt(fixture.store()), pseudo(QStringLiteral("is not a database"))})));
    }

    void findsTextsOnEachOther()
    {
        QWidget root;
        auto* page = new QWidget(&root);
        auto* column = new QVBoxLayout(page);
        column->setContentsMargins({});
        column->setSpacing(0);
        auto *first = new QLabel(QStringLiteral("first")), *second = new QLabel(QStringLiteral("second"));
        column->addWidget(first);
        column->addWidget(second);
        page->resize(200, 80);
        showAt(root, {200, 80});
        QCOMPARE(overlaps(root), QStringList());
        second->move(0, first->height() - 5);
        QCOMPARE(overlaps(root).size(), 1);
    }

    void findsANarrowColumnHeader()
    {
        QStandardItemModel model(1, 1);
        model.setHeaderData(0, Qt::Horizontal, QStringLiteral("Exposed communication (ms)"));
        QTableView table;
        table.setModel(&model);
        showAt(table, {400, 200});
        table.setColumnWidth(0, 300);
        QCOMPARE(faultsIn(table, {}), QStringList());
        table.setColumnWidth(0, 60);
        QCOMPARE(clippedTexts(table).size(), 1);
        model.setHeaderData(0, Qt::Horizontal, QStringLiteral("Exposed communication (ms)"), Qt::ToolTipRole);
        QCOMPARE(clippedTexts(table), QStringList());
    }

    void findsANarrowItemOfATree()
    {
        QStandardItemModel model;
        auto* group = new QStandardItem(QStringLiteral("Model"));
        group->appendRow(new QStandardItem(QStringLiteral("a model with a name that is long")));
        model.appendRow(group);
        QWidget window;
        QVBoxLayout layout(&window);
        auto* tree = new QTreeView;
        tree->setHeaderHidden(true);
        tree->setModel(&model);
        layout.addWidget(tree);
        showAt(window, {120, 200});
        QCOMPARE(clippedTexts(window), QStringList()); // folded in
        tree->expandAll();
        QCOMPARE(clippedTexts(window).size(), 1);
        group->child(0)->setToolTip(group->child(0)->text());
        QCOMPARE(clippedTexts(window), QStringList());
    }

    void findsWhatAScrollAreaCutsOff()
    {
        QWidget window;
        QVBoxLayout layout(&window);
        auto* area = new QScrollArea;
        auto* button = new QPushButton(QStringLiteral("Go"));
        button->setFixedWidth(300);
        area->setWidget(button);
        layout.addWidget(area);
        showAt(window, {600, 120});
        QCOMPARE(clippedTexts(window), QStringList());
        window.resize(200, 120);
        QCOMPARE(clippedTexts(window).size(), 1);
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::LooksTest)
#include "test_looks.moc"
