// SPDX-License-Identifier: MIT
// The window as a user finds it: what it shows first, without a mouse, its dialogs, and what stands in its way.
#include "app/session/bundled.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "app/widgets/celldelegate.h"
#include "app/widgets/navrail.h"
#include "app/window/worktracker.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

namespace ringside::test {

namespace {

QString why(const QString& where, const QStringList& found)
{
    return where + QStringLiteral(":\n") + found.join(QLatin1Char('\n'));
}

QLineEdit* field(MainWindow& window, const QString& name)
{
    const auto edits = window.currentPage()->findChildren<QLineEdit*>();
    const auto found =
        std::find_if(edits.begin(), edits.end(), [&](const QLineEdit* edit) { return edit->accessibleName() == name; });
    return found == edits.end() ? nullptr : *found;
}

QPushButton* button(MainWindow& window, const QString& text)
{
    const auto buttons = window.findChildren<QPushButton*>();
    const auto found = std::find_if(buttons.begin(), buttons.end(),
                                    [&](const QPushButton* b) { return b->isVisible() && b->text() == text; });
    return found == buttons.end() ? nullptr : *found;
}

/// As a user types: the field's text is replaced.
void type(MainWindow& window, const QString& name, const QString& text)
{
    auto* edit = field(window, name);
    QVERIFY(edit);
    edit->selectAll();
    QTest::keyClicks(edit, text);
}

} // namespace

class WindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void firstStartShowsWelcomeWithTheExampleInFocus()
    {
        WindowFixture fixture;
        fixture.show();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Welcome"));
        QVERIFY(waitFor([] { return qobject_cast<QPushButton*>(QApplication::focusWidget()) != nullptr; }));
        QCOMPARE(qobject_cast<QPushButton*>(QApplication::focusWidget())->text(), QStringLiteral("Run the example"));
        QCOMPARE(fixture.window().windowTitle(), QStringLiteral("Welcome[*] – Ringside"));
    }

    void withExperimentsShowsTheList()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Experiments"));
        const auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 4; }));
    }

    void keysMoveBetweenPagesAndParts()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        QCOMPARE(window.currentPage()->windowName(), QStringLiteral("Settings"));
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(window.currentPage()->windowName(), QStringLiteral("Experiments"));
        QSet<QWidget*> stops;
        for (int i = 0; i < 5; ++i) {
            QTest::keyClick(&window, Qt::Key_F6);
            QVERIFY(QApplication::focusWidget());
            stops << QApplication::focusWidget();
        }
        QVERIFY2(stops.size() >= 4, "rail, header, content, status bar");
    }

    void f6LeadsIntoTheRightColumnOfEachPage()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        for (const PageId page : {PageId::editor, PageId::monitor, PageId::compare, PageId::sites}) {
            fixture.go(page, QString::fromLatin1(kMeasuredExperiment));
            settle();
            bool wasThere = false;
            for (int i = 0; i < 8; ++i) {
                QTest::keyClick(&window, Qt::Key_F6);
                const QPoint at = QApplication::focusWidget()->mapTo(&window, QPoint());
                wasThere |= at.x() > 330 && at.y() > 90 && at.y() < window.height() - 60; // below the page's header
            }
            QVERIFY2(wasThere, qPrintable(window.currentPage()->windowName()));
        }
    }

    void typingFiltersAndEscClears()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 4; }));
        table->setFocus();
        QTest::keyClicks(table, QStringLiteral("s"));
        auto* filter = fixture.window().currentPage()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, QStringLiteral("caling"));
        QCOMPARE(filter->text(), QStringLiteral("scaling"));
        QCOMPARE(table->model()->rowCount(), 1);
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void spaceStarsAndDeleteAsksWithArchiveAsDefault()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        auto* table = window.currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor(
            [&] { return table->model()->rowCount() == 4 && fixture.session().access() == Session::Access::writing; }));
        table->selectRow(0);
        QTest::keyClick(table, Qt::Key_Delete);
        QVERIFY(waitFor([&] { return openDialog(window); }));
        QVERIFY(saveScreenshot(*openDialog(window), QStringLiteral("delete-dialog")));
        QTest::keyClick(openDialog(window), Qt::Key_Return);
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 3; }));
    }

    void whatTheQuestionNamesIsDeletedThoughAnotherIsSelectedByThen()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        auto* table = window.currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return window.actions()[ActionId::removeExperiment]->isEnabled(); }));
        const auto nameIn = [&](int row) { return table->model()->index(row, 0).data(kKeyRole).toString(); };
        table->selectRow(1);
        const QString named = nameIn(1), other = nameIn(2);
        QTest::keyClick(table, Qt::Key_Delete);
        QTest::keyClick(table, Qt::Key_Down); // while what would be lost is counted
        QVERIFY(waitFor([&] { return openDialog(window); }));
        QVERIFY(says(*openDialog(window), QStringLiteral("Delete “%1”?").arg(named)));
        buttonOf(*openDialog(window), QStringLiteral("Delete"))->click();
        QVERIFY(waitFor([&] { return table->model()->rowCount() == 3; }));
        for (int row = 0; row < 3; ++row)
            QVERIFY(nameIn(row) != named);
        QVERIFY2(nameIn(0) == other || nameIn(1) == other || nameIn(2) == other, "it was only selected");
    }

    void theModelsOfEveryPageKeepWhatModelsPromise()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        int watched = 0;
        const auto measured = QString::fromLatin1(kMeasuredExperiment);
        for (const PageId page :
             {PageId::experiments, PageId::editor, PageId::monitor, PageId::compare, PageId::sites}) {
            fixture.go(page, measured);
            for (const auto* view : fixture.window().currentPage()->findChildren<QAbstractItemView*>())
                if (view->isVisible() && view->model()) {
                    new QAbstractItemModelTester(view->model(), QAbstractItemModelTester::FailureReportingMode::QtTest,
                                                 &fixture.window());
                    ++watched;
                }
        }
        QVERIFY2(watched >= 6,
                 qPrintable(QString::number(watched))); // experiments, matrix, runs, facets, summary, sites
        // A filter, a state, a tick or an order changes them.
        fixture.go(PageId::experiments);
        QTest::keyClicks(fixture.window().currentPage()->findChild<QLineEdit*>(), QStringLiteral("plans"));
        fixture.go(PageId::monitor, measured);
        auto* runs = fixture.window().currentPage()->findChild<QTableView*>();
        fixture.session().live().runsChanged({measuredRunAs(fixture.store(), RunState::running)});
        settle();
        fixture.session().live().runsChanged({measuredRunAs(fixture.store(), RunState::failed)});
        settle();
        QVERIFY(runs->model()->rowCount() > 0);
        fixture.go(PageId::compare, measured);
        auto* facets = fixture.window().currentPage()->findChild<QTreeView*>();
        const QModelIndex first = facets->model()->index(0, 0, facets->model()->index(0, 0));
        QVERIFY(facets->model()->setData(first, Qt::Unchecked, Qt::CheckStateRole));
        settle();
        fixture.window().currentPage()->findChild<QTableView*>()->sortByColumn(1, Qt::DescendingOrder);
        settle();
    }

    void everyActionIsInAMenuAndShortcutsAreUnique()
    {
        WindowFixture fixture;
        fixture.show();
        QSet<QAction*> inMenus;
        for (const auto* menu : fixture.window().findChildren<QMenu*>())
            for (auto* action : menu->actions())
                inMenus << action;
        QSet<QKeySequence> keys;
        for (const auto id : fixture.window().actions().all()) {
            auto* action = fixture.window().actions()[id];
            QVERIFY2(inMenus.contains(action) || id == ActionId::runExample, qPrintable(action->text()));
            if (action->shortcut().isEmpty())
                continue;
            QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->text()));
            keys << action->shortcut();
        }
    }

    void dialogsOpenWithoutBlocking_data()
    {
        QTest::addColumn<int>("action");
        QTest::newRow("shortcuts") << int(ActionId::shortcuts);
        QTest::newRow("about") << int(ActionId::about);
        QTest::newRow("diagnostics") << int(ActionId::diagnostics);
        QTest::newRow("how-measured") << int(ActionId::howMeasured);
    }

    void dialogsOpenWithoutBlocking()
    {
        QFETCH(int, action);
        WindowFixture fixture;
        fixture.show();
        fixture.window().actions()[ActionId(action)]->trigger();
        auto* dialog = openDialog(fixture.window());
        QVERIFY(dialog);
        settle();
        QVERIFY(saveScreenshot(*dialog, QStringLiteral("dialog-%1").arg(QString::fromLatin1(QTest::currentDataTag()))));
        const auto clipped = clippedTexts(*dialog);
        QVERIFY2(clipped.isEmpty(), qPrintable(why(dialog->windowTitle(), clipped)));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
    }

    void diagnosticsShowTheLog()
    {
        WindowFixture fixture;
        fixture.show();
        const QString secret = QDir::homePath() + QStringLiteral("/secret/lab.db");
        fixture.session().log().add(QStringLiteral("test"), QStringLiteral("cannot read ") + secret);
        fixture.window().actions()[ActionId::diagnostics]->trigger();
        auto* dialog = openDialog(fixture.window());
        QVERIFY(dialog);
        const auto* text = dialog->findChild<QPlainTextEdit*>();
        QVERIFY(text->isReadOnly());
        button(fixture.window(), QStringLiteral("Copy report"))->click();
        const QString copied = QApplication::clipboard()->text();
        QCOMPARE(copied, text->toPlainText());
        const QString log = copied.section(QStringLiteral("Log, the newest last:"), 1);
        QVERIFY2(log.contains(QStringLiteral("test: cannot read ~/secret/lab.db")), qPrintable(copied));
        QVERIFY2(log.contains(QStringLiteral("database: ")), qPrintable(copied));
        QVERIFY(!copied.contains(secret));
    }

    void anotherWriterMakesItReadOnlyUntilThatEnds()
    {
        WindowFixture fixture;
        fixture.fillStore();
        auto other = std::make_unique<Session>(Programs{});
        other->open(fixture.store());
        QVERIFY(waitFor([&] { return other->access() == Session::Access::writing; }));
        fixture.show();
        const auto bars = fixture.window().currentPage()->findChildren<MessageBar*>();
        const auto says = [named = toQt(fixture.store()) + QStringLiteral(" is in use by")](const MessageBar* bar) {
            return bar->isVisible() && bar->text().contains(named) &&
                   bar->text().endsWith(QStringLiteral("this window writes it by itself."));
        };
        QVERIFY(waitFor([&] { return std::any_of(bars.begin(), bars.end(), says); }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("read-only")));
        QVERIFY(!fixture.window().actions()[ActionId::archive]->isEnabled());
        const fs::path lock = fixture.store().string() + "-lock";
        fs::rename(lock, fixture.folder() / "aside");
        fs::create_directory(lock); // something else prevents writing
        const auto saysWhy = [](const MessageBar* bar) { return bar->text().contains(QStringLiteral("cannot lock")); };
        QVERIFY(waitFor([&] { return std::any_of(bars.begin(), bars.end(), saysWhy); }));
        other.reset();
        fs::remove(lock);
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        QVERIFY(
            waitFor([&] { return ringside::test::says(fixture.window(), QStringLiteral("this window can write")); }));
        QVERIFY(std::none_of(bars.begin(), bars.end(), says));
        QVERIFY(waitFor([&] { return fixture.window().actions()[ActionId::archive]->isEnabled(); }));
    }

    void aForeignDatabaseOffersAnotherFolder()
    {
        WindowFixture fixture;
        QVERIFY(writeFileAtomically(fixture.store(), std::string(4096, 'x')));
        fixture.show();
        const auto bars = fixture.window().currentPage()->findChildren<MessageBar*>();
        QVERIFY(std::any_of(bars.begin(), bars.end(),
                            [](const MessageBar* bar) { return bar->isVisible() && !bar->text().isEmpty(); }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("foreign-database")));
    }

    void draftsStayWithWhatWasOpened()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        const auto name = QStringLiteral("Name"), question = QStringLiteral("Question");
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        type(window, question, QStringLiteral("of first-light"));
        window.actions()[ActionId::newExperiment]->trigger(); // from within the editor
        QCOMPARE(field(window, name)->text(), QStringLiteral("untitled"));
        type(window, question, QStringLiteral("of the new one"));
        fixture.go(PageId::experiments);
        fixture.go(PageId::editor, QStringLiteral("scaling-of-one-model"));
        QCOMPARE(field(window, name)->text(), QStringLiteral("scaling-of-one-model"));
        QVERIFY(!field(window, question)->text().startsWith(QStringLiteral("of ")));
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        QCOMPARE(field(window, question)->text(), QStringLiteral("of first-light"));
        window.actions()[ActionId::newExperiment]->trigger();
        QCOMPARE(field(window, question)->text(), QStringLiteral("of the new one"));
    }

    void aFileThatCannotBeReadLeavesTheFormAlone()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        type(window, QStringLiteral("Question"), QStringLiteral("kept?"));
        window.openFile(QStringLiteral("/nowhere/plans.toml"));
        const auto bars = window.currentPage()->findChildren<MessageBar*>();
        QVERIFY(waitFor([&] {
            return std::any_of(bars.begin(), bars.end(), [](const MessageBar* bar) {
                return bar->isVisible() && bar->text().contains(QStringLiteral("plans.toml"));
            });
        }));
        QCOMPARE(field(window, QStringLiteral("Name"))->text(), QStringLiteral("first-light"));
        QCOMPARE(field(window, QStringLiteral("Question"))->text(), QStringLiteral("kept?"));
    }

    void enterClicksTheButtonInFocus()
    {
        WindowFixture fixture;
        fixture.show();
        auto& window = fixture.window();
        const auto isOn = [](const char* name) {
            return QApplication::focusWidget()->accessibleName() == QString::fromLatin1(name);
        };
        for (int step = 0; step < 10 && !isOn("New: New experiment"); ++step)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(isOn("New: New experiment"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(waitFor([&] { return window.currentPage()->windowName() == QStringLiteral("untitled"); }));
    }

    void openRecentListsTheFilesThatWereOpened()
    {
        WindowFixture fixture;
        fixture.show();
        auto& window = fixture.window();
        const auto file = fixture.folder() / "mine.toml";
        QVERIFY(writeFileAtomically(file, *bundledExperimentText(QStringLiteral("first-light"))));
        window.openFile(QString::fromStdString(file.native()));
        QVERIFY(waitFor([&] { return window.currentPage()->windowName() == QStringLiteral("first-light"); }));
        const auto menus = window.findChildren<QMenu*>();
        const auto recent = std::find_if(menus.begin(), menus.end(), [](const QMenu* menu) {
            return menu->title().remove(QLatin1Char('&')) == QStringLiteral("Open recent");
        });
        QVERIFY(recent != menus.end());
        Q_EMIT(*recent)->aboutToShow();
        QCOMPARE((*recent)->actions().size(), 1);
        QVERIFY((*recent)->actions().front()->text().endsWith(QStringLiteral("mine.toml")));
    }

    void workThatWaitsIsTold()
    {
        QCOMPARE(workText({.total = 12, .queued = 8, .done = 4}), QStringLiteral("8 queued"));
        QCOMPARE(workText({.total = 12, .queued = 7, .running = 1, .done = 4}), QStringLiteral("1 running · 7 queued"));
        QCOMPARE(workText({.total = 12, .queued = 7, .done = 5, .held = 7}), QStringLiteral("7 held"));
        QCOMPARE(workText({.total = 12, .done = 12}), QString());
    }

    void archivedExperimentsCanBeShown()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        auto* table = window.currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor(
            [&] { return table->model()->rowCount() == 4 && fixture.session().access() == Session::Access::writing; }));
        table->selectAll();
        window.actions()[ActionId::archive]->trigger();
        QPushButton* show = nullptr;
        QVERIFY(waitFor([&] { return (show = button(window, QStringLiteral("Show archived"))) != nullptr; }));
        QVERIFY(saveScreenshot(window, QStringLiteral("experiments-archived")));
        show->setFocus();
        QTest::keyClick(show, Qt::Key_Return);
        QVERIFY(waitFor([&] { return table->isVisible() && table->model()->rowCount() == 4; }));
    }

    void detailsOfAMessageOpenByKeyboard()
    {
        WindowFixture fixture;
        fixture.show();
        auto& window = fixture.window();
        window.currentPage()->showMessage({.severity = Severity::error,
                                           .text = QStringLiteral("The worker ended."),
                                           .details = QStringLiteral("terminate called")});
        auto* more = button(window, QStringLiteral("Details"));
        QVERIFY(more);
        more->setFocus();
        QTest::keyClick(more, Qt::Key_Return);
        const auto* text = qobject_cast<QPlainTextEdit*>(QApplication::focusWidget());
        QVERIFY(text && text->toPlainText() == QStringLiteral("terminate called"));
        QVERIFY(button(window, QStringLiteral("Copy")));
        QVERIFY(saveScreenshot(window, QStringLiteral("message-details")));
    }

    void welcomeScrollsOnlyWhenItMust()
    {
        WindowFixture fixture;
        fixture.show({1280, 800});
        const auto* scroll = fixture.window().currentPage()->findChild<QScrollArea*>();
        QVERIFY(waitFor([&] { return scroll->widget()->height() <= scroll->viewport()->height(); }));
    }

    void switchesToDarkWhileRunning()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.theme().apply(Appearance::dark, FontChoice::ringside, 1.0);
        const QImage picture = fixture.window().grab().toImage();
        QCOMPARE(picture.pixelColor(picture.width() / 2, picture.height() - 3), Theme::night().rail);
    }

    void largeTextFits()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.theme().apply(Appearance::light, FontChoice::ringside, 1.3);
        fixture.show({1280, 800});
        for (const auto id : {PageId::welcome, PageId::experiments, PageId::settings}) {
            fixture.go(id);
            const auto clipped = clippedTexts(fixture.window());
            QVERIFY2(clipped.isEmpty(), qPrintable(why(QStringLiteral("130 %"), clipped)));
        }
        for (const auto* button : fixture.window().findChild<NavRail*>()->findChildren<QToolButton*>())
            QVERIFY2(!button->text().contains(u'…'), qPrintable(button->text()));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("settings-130")));
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::WindowTest)
#include "test_window.moc"
