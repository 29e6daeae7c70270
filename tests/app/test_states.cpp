// SPDX-License-Identifier: MIT
// Messages of the window while it waits, without contact, with a part of the data or none; and nothing is hidden or
// lost.
#include "app/pages/compare/exportdialog.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "app/widgets/messagebar.h"
#include "app/window/windowstate.h"
#include "core/base/clock.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/planning/planning.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/addcampaign.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDebug>
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStatusBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

void collect(const QAbstractItemModel& model, const QModelIndex& parent, QStringList& texts)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column)
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)})
                texts << model.index(row, column, parent).data(role).toString();
        collect(model, model.index(row, 0, parent), texts);
    }
}

/// Everything that can be read on the page in front, tables and their tooltips included.
QString textOf(const WindowFixture& fixture)
{
    const QWidget& page = *const_cast<WindowFixture&>(fixture).window().currentPage();
    QStringList texts;
    for (const auto* label : page.findChildren<QLabel*>())
        if (label->isVisible())
            texts << label->text();
    for (const auto* button : page.findChildren<QAbstractButton*>())
        if (button->isVisible())
            texts << button->text();
    for (const auto* view : page.findChildren<QAbstractItemView*>())
        if (view->isVisible() && view->model())
            collect(*view->model(), {}, texts);
    texts.removeAll(QString());
    return texts.join(QLatin1Char('\n'));
}

bool says(const WindowFixture& fixture, const char* words)
{
    return waitFor([&] { return textOf(fixture).contains(QString::fromUtf8(words)); }, 3'000);
}

#define VERIFY_SAYS(fixture, words) QVERIFY2(says(fixture, words), qPrintable(textOf(fixture)))

const QProgressBar* loadingBar(MainWindow& window)
{
    return shown<QProgressBar>(*window.currentPage(), [](const QProgressBar& bar) {
        return bar.accessibleName() == QStringLiteral("Loading");
    });
}

/// Everyone's rights on files while it lives, even where tests run as root.
class AsNobody
{
public:
    AsNobody()
        : m_was(::geteuid())
    {
        if (m_was == 0 && ::seteuid(kNobody) != 0)
            qFatal("cannot become nobody");
    }
    ~AsNobody()
    {
        if (::seteuid(m_was) != 0)
            qFatal("cannot become root again");
    }

private:
    static constexpr uid_t kNobody = 65534;
    uid_t m_was;
};

/// Returns the text in the empty log of Monitor; nothing if the log is not empty.
QString logWords(WindowFixture& fixture)
{
    const auto* log = shown<QPlainTextEdit>(*fixture.window().currentPage(), [](const QPlainTextEdit& text) {
        return text.accessibleName() == QStringLiteral("Log");
    });
    return log && log->toPlainText().isEmpty() ? log->placeholderText() : QString();
}

bool differs(QWidget& widget, const QImage& before)
{
    return widget.grab().toImage() != before;
}

void drag(QSplitter& splitter, int by)
{
    QWidget* handle = splitter.handle(1);
    const QPoint from = handle->rect().center();
    const QPoint to = from + (splitter.orientation() == Qt::Horizontal ? QPoint(by, 0) : QPoint(0, by));
    QTest::mousePress(handle, Qt::LeftButton, {}, from);
    QTest::mouseMove(handle, to);
    QTest::mouseRelease(handle, Qt::LeftButton, {}, to);
}

QSplitter* columnsOf(MainWindow& window)
{
    return shown<QSplitter>(*window.currentPage(),
                            [](const QSplitter& splitter) { return splitter.orientation() == Qt::Horizontal; });
}

} // namespace

class StatesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void failedAndDisturbedRunsAreSaidOnEveryPage()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        for (const char* words : {"58 done", "1 failed", "1 cancelled", "2 disturbed", "Lost rank"})
            VERIFY_SAYS(fixture, words);
        const store::RunRow failed = measuredRunAs(fixture.store(), RunState::failed, RunState::failed);
        QVERIFY(failed.reason && failed.reason->code == why::kSilent);
        VERIFY_SAYS(fixture, jobs::sentenceOf(*failed.reason).c_str());
        fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
        for (const char* words : {"2 runs were disturbed", "1 attempt failed", "Done, disturbed"})
            VERIFY_SAYS(fixture, words);
        fixture.window().actions()[ActionId::copyCaption]->trigger();
        const QString caption = QApplication::clipboard()->text();
        QVERIFY2(caption.contains(QStringLiteral("1 attempt failed")), qPrintable(caption));
        QVERIFY2(caption.contains(QStringLiteral("2 runs were disturbed")), qPrintable(caption));
        fixture.go(PageId::experiments, kMeasured);
        VERIFY_SAYS(fixture, "Runs failed");
    }

    void aSlowDatabaseShowsTheLoadingBar()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        JobTracker slow;
        fixture.session().queries().ask(
            slow,
            [](const store::Database&, std::stop_token) -> Result<int> {
                std::this_thread::sleep_for(std::chrono::seconds(1));
                return 0;
            },
            [](const Result<int>&) {});
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = {}, .show = {}, .toml = {}});
        QVERIFY(!loadingBar(fixture.window())); // not at once
        QVERIFY(waitFor([&] { return loadingBar(fixture.window()) != nullptr; }, 900));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-loading")));
        QVERIFY(waitFor([&] { return loadingBar(fixture.window()) == nullptr; }));
        VERIFY_SAYS(fixture, "58 done");
    }

    void logsThatAreElsewhereAreNoError()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fs::remove_all(fixture.folder() / "ringside" / "campaigns");
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        QVERIFY(waitFor([&] { return logWords(fixture).contains(QStringLiteral("are not on this computer.")); }));
        QVERIFY2(logWords(fixture).startsWith(QStringLiteral("The logs of run ")), qPrintable(logWords(fixture)));
        QVERIFY(!shown<MessageBar>(fixture.window(), [](const MessageBar&) { return true; }));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-logs-elsewhere")));
    }

    void aRunWithoutALogSaysSo()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fs::remove_all(fixture.folder() / "ringside" / "runs");
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        QVERIFY(waitFor([&] { return logWords(fixture).startsWith(QStringLiteral("There is no log of run ")); }));
    }

    void whoeverOnlyReadsIsToldWhereLogsAre()
    {
        WindowFixture fixture;
        fixture.fillStore();
        const auto lock = store::Database::openForWriting(fixture.store());
        QVERIFY(lock);
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        QVERIFY(waitFor([&] { return logWords(fixture).startsWith(QStringLiteral("This database can only")); }));
    }

    void theTableOfPhasesFitsAFirstWindow()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show({1280, 800});
        fixture.go(PageId::compare, kMeasured, QStringLiteral("phases"));
        const auto* table = fixture.window().currentPage()->findChild<QTableView*>();
        QVERIFY(waitFor([&] { return table->model()->rowCount() > 0; }));
        QVERIFY(waitFor([&] { return table->horizontalScrollBar()->maximum() == 0; }, 1'000));
        fixture.window().resize(1100, 700); // what does not fit scrolls within
        QVERIFY(waitFor([&] { return table->horizontalScrollBar()->isVisible(); }, 1'000));
    }

    void whatIsHeldSaysSoEverywhere()
    {
        WindowFixture fixture;
        fixture.fillStore();
        auto writer = store::Database::openForWriting(fixture.store()); // a window beside it starts nothing
        QVERIFY(writer);
        const Result<void> held = holdAllOf(*writer, "first-light");
        QVERIFY2(held, held ? "" : held.error().text().c_str());
        fixture.show();
        fixture.go(PageId::experiments, QStringLiteral("first-light"));
        VERIFY_SAYS(fixture, "State: Held");
        QVERIFY(waitFor([&] {
            return shown<QToolButton>(*fixture.window().statusBar(), [](const QToolButton& entry) {
                return entry.text() == QStringLiteral("36 held");
            });
        }));
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        for (const char* words : {"36 held", "Held", "No further run is started until you continue."})
            VERIFY_SAYS(fixture, words);
        QVERIFY(!textOf(fixture).contains(QStringLiteral("ueued")));
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-held")));
    }

    void cellsWithoutRunsAreCounted()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        saveWithEightRanks(fixture);
        fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
        VERIFY_SAYS(fixture, "10 of 14 cells have runs; missing: ");
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-partial")));
    }

    void withNothingToShowPagesSayWhatToDo()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.go(PageId::monitor);
        VERIFY_SAYS(fixture, "Nothing is running.");
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-empty-monitor")));
        fixture.go(PageId::compare);
        VERIFY_SAYS(fixture, "Choose an experiment to compare its runs.");
        QVERIFY(saveScreenshot(fixture.window(), QStringLiteral("state-empty-compare")));
    }

    void anExperimentWithoutRunsCannotBeCompared()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::compare, QStringLiteral("first-light"), QStringLiteral("throughput"));
        VERIFY_SAYS(fixture, "No finished runs match.");
        QVERIFY(!fixture.window().actions()[ActionId::exportFigure]->isEnabled());
    }

    void exportIntoAReadOnlyFolderLosesNothing()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        QTemporaryDir open;
        const QString papers = open.filePath(QStringLiteral("papers"));
        QVERIFY(QDir().mkdir(papers));
        QVERIFY(::chmod(qPrintable(open.path()), 0755) == 0 && ::chmod(qPrintable(papers), 0555) == 0);
        fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
        auto* dialog = exportDialog(fixture, papers);
        QVERIFY(dialog);
        auto* caption = dialog->findChild<QPlainTextEdit*>();
        caption->setPlainText(QStringLiteral("My own words."));
        auto* start = shown<QPushButton>(*dialog, [](const QPushButton& button) { return button.isDefault(); });
        auto* message = dialog->findChild<MessageBar*>();
        {
            AsNobody nobody;
            start->click();
            QVERIFY(waitFor([&] { return message->isVisible(); }));
        }
        QVERIFY2(message->text().contains(papers), qPrintable(message->text()));
        QVERIFY(saveScreenshot(*dialog, QStringLiteral("state-export-read-only")));
        QVERIFY(dialog->isVisible());
        QCOMPARE(caption->toPlainText(), QStringLiteral("My own words."));
        QCOMPARE(QDir(papers).entryList(QDir::Files).size(), 0);
        QVERIFY(::chmod(qPrintable(papers), 0755) == 0);
        QVERIFY(waitFor([&] { return start->isEnabled(); }));
        start->click();
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
        QCOMPARE(QDir(papers).entryList(QDir::Files).size(), 6);
        QCOMPARE(*readFile(toPath(papers) / "caption.txt"), std::string("My own words.\n"));
    }

    void windowAndSplittersComeBack()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, kMeasured);
        drag(*columnsOf(fixture.window()), 60);
        const QList<int> sizes = columnsOf(fixture.window())->sizes();
        const QSize minimum = fixture.window().minimumSize();
        fixture.window().setGeometry(QRect(QPoint(0, 20), minimum));
        settle();
        const QRect geometry = fixture.window().geometry();
        fixture.reopen();
        QCOMPARE(fixture.window().geometry(), geometry);
        QVERIFY(waitFor([&] { return fixture.window().currentPage() != nullptr; }));
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Monitor"));
        fixture.window().resize(1280, 800);
        fixture.go(PageId::monitor, kMeasured);
        const QList<int> again = columnsOf(fixture.window())->sizes();
        QVERIFY2(std::abs(again.first() - sizes.first()) <= 2,
                 qPrintable(QStringLiteral("%1, was %2").arg(again.first()).arg(sizes.first())));
    }

    void aWindowOnAMonitorThatIsGoneComesBackOnScreen()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.window().setGeometry(QRect(QPoint(4000, 3000), fixture.window().minimumSize()));
        fixture.reopen();
        const QRect screen = fixture.window().screen()->availableGeometry();
        QVERIFY2(screen.contains(fixture.window().geometry().topLeft()), "its title can be seen");
        QVERIFY((screen & fixture.window().geometry()).width() >= screen.width() / 2);
    }

    void aWindowTooWideForItsScreenComesBackWithinIt()
    {
        WindowFixture fixture;
        fixture.show();
        const QRect screen = fixture.window().screen()->availableGeometry();
        fixture.window().setGeometry(QRect(-398, 40, screen.width() + 600, screen.height()));
        settle();
        fixture.reopen();
        const QRect geometry = fixture.window().geometry();
        const QByteArray is = QDebug::toString(geometry).toUtf8();
        QVERIFY2(geometry.left() >= screen.left() && geometry.top() >= screen.top(), is);
        QVERIFY2(geometry.size().boundedTo(screen.size()) == geometry.size(), is);
    }

    void aGeometryIsFittedToTheScreenItIsMostlyOn()
    {
        const QRect left(0, 0, 1280, 800), right(1280, 30, 1920, 1050);
        const QRect fits(100, 50, 1100, 700);
        QCOMPARE(onScreen(fits, {left, right}, 24), fits);
        QCOMPARE(onScreen({2, 22, 1280, 780}, {left}, 24), QRect(2, 22, 1280, 780)); // pushed by its frame
        QCOMPARE(onScreen({-398, 0, 1676, 700}, {left}, 24), QRect(0, 24, 1280, 700));
        QCOMPARE(onScreen({1000, 900, 1200, 700}, {left, right}, 24), QRect(1280, 380, 1200, 700));
        QCOMPARE(onScreen({1300, 40, 4000, 3000}, {left, right}, 24), QRect(1280, 54, 1920, 1026));
        QVERIFY(onScreen({5000, 0, 1280, 800}, {left, right}, 24).isNull());
        QVERIFY(onScreen(fits, {}, 24).isNull());
    }

    void digitsLeadToPagesAndF6ShowsWhereItIs()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        window.activateWindow(); // there is no window manager here
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const std::pair<Qt::Key, QString> ways[] = {{Qt::Key_2, QStringLiteral("Monitor")},
                                                    {Qt::Key_3, QStringLiteral("plans-on-four-ranks")},
                                                    {Qt::Key_1, QStringLiteral("Experiments")}};
        for (const auto& [key, name] : ways) {
            QTest::keyClick(&window, key, Qt::ControlModifier);
            settle();
            QVERIFY2(QApplication::focusWidget() && QApplication::focusWidget()->isVisible(), qPrintable(name));
        }
        QCOMPARE(window.currentPage()->windowName(), QStringLiteral("Experiments"));
        for (int i = 0; i < 5; ++i) {
            const QImage before = window.grab().toImage();
            const QWidget* old = QApplication::focusWidget();
            QTest::keyClick(&window, Qt::Key_F6);
            QVERIFY(QApplication::focusWidget() && QApplication::focusWidget() != old);
            QVERIFY2(differs(window, before), QApplication::focusWidget()->metaObject()->className());
        }
    }

    void focusReturnsAfterADialog()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        auto& window = fixture.window();
        fixture.go(PageId::experiments, kMeasured);
        auto* table = window.currentPage()->findChild<QTableView*>();
        for (const auto id : {ActionId::shortcuts, ActionId::removeExperiment}) {
            table->setFocus();
            window.actions()[id]->trigger();
            QVERIFY(waitFor([&] { return openDialog(window); }));
            QTest::keyClick(openDialog(window), Qt::Key_Escape);
            QVERIFY(waitFor([&] { return !openDialog(window); }));
            window.activateWindow(); // there is no window manager here
            QVERIFY(QTest::qWaitForWindowActive(&window));
            QCOMPARE(QApplication::focusWidget(), table);
        }
    }

private:
    static Result<void> holdAllOf(store::Database& db, const std::string& name)
    {
        TRY_ASSIGN(const std::string text, store::experimentText(db, name));
        TRY_ASSIGN(const spec::Experiment experiment, spec::parseExperiment(text, name));
        TRY_ASSIGN(const spec::Matrix matrix, spec::expand(experiment));
        ReadySite here;
        here.site.name = spec::kLocalSite;
        CampaignPlan plan = planOf(experiment, db.id(), here, missingSpecs(experiment, matrix, {}, false, {}));
        TRY(test::addCampaign(db, plan));
        return store::setHeld(db, plan.campaign, true);
    }

    static void saveWithEightRanks(WindowFixture& fixture)
    {
        auto db = store::Database::openForReading(fixture.store());
        QVERIFY(db);
        auto experiment = spec::parseExperiment(*store::experimentText(*db, kMeasuredExperiment));
        QVERIFY(experiment);
        for (spec::Factor& factor : experiment->factors)
            if (factor.key == "ranks")
                factor.levels.emplace_back(std::int64_t{8});
        const auto saved = save(fixture.session(), *experiment);
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
    }

    static QDialog* exportDialog(WindowFixture& fixture, const QString& folder)
    {
        auto* action = fixture.window().actions()[ActionId::exportFigure];
        if (!waitFor([&] { return action->isEnabled(); }))
            return nullptr;
        action->trigger();
        if (!waitFor([&] { return openDialog(fixture.window()); }))
            return nullptr;
        auto* dialog = openDialog(fixture.window());
        shown<QLineEdit>(*dialog, [](const QLineEdit& edit) {
            return edit.accessibleName() == QStringLiteral("Folder");
        })->setText(folder);
        return dialog;
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::StatesTest)
#include "test_states.moc"
