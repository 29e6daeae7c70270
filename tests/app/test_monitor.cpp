// SPDX-License-Identifier: MIT
// Monitor shows what was asked for and nothing of what was shown before it; messages and the keyboard stay where they
// are of use.
#include "app/session/qtsink.h"
#include "app/shell/actions.h"
#include "app/shell/page.h"
#include "app/style/fonts.h"
#include "app/widgets/messagebar.h"
#include "app/window/messagelog.h"
#include "app/window/messagepanel.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialog>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <algorithm>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

/// A window on a store with the measured experiment.
struct Measured : WindowFixture
{
    Measured()
    {
        fillStore();
        show();
    }

    QtSink& live() { return session().live(); }
    store::RunRow run(RunState state, RunState from) { return measuredRunAs(store(), state, from); }
    void announce(const std::vector<store::RunRow>& runs)
    {
        live().runsChanged(runs);
        settle();
    }
    bool showsLogOf(int number) { return says(window(), QStringLiteral("Log of run %1").arg(number)); }
};

/// The run in this state.
store::RunRow as(RunState state, store::RunRow run)
{
    run.state = state;
    return run;
}

/// A further run beside it.
store::RunRow another(int number, store::RunRow run)
{
    run.id = RunId::random();
    run.number = number;
    return run;
}

QTableView* tableOf(WindowFixture& fixture, const char* name)
{
    return shown<QTableView>(*fixture.window().currentPage(),
                             [&](const QTableView& table) { return table.accessibleName() == QLatin1String(name); });
}

} // namespace

class MonitorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunIsShownThoughItsRunsAreStillToBeRead()
    {
        Measured fixture;
        const store::RunRow run = fixture.run(RunState::failed, RunState::failed);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        settle();
        QVERIFY(fixture.showsLogOf(run.number));
    }

    void aRunThatTheUserChoseStaysWhenThePageIsShownAgain()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        const store::RunRow chosen = fixture.run(RunState::failed, RunState::failed);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = chosen.id});
        QVERIFY(waitFor([&] { return fixture.showsLogOf(chosen.number); }));
        fixture.go(PageId::experiments);
        fixture.go(PageId::monitor);
        settle();
        const store::RunRow other = fixture.run(RunState::running, RunState::done);
        QVERIFY(other.number != chosen.number);
        fixture.announce({other}); // now: what is read with the page knows nothing of it
        QVERIFY(fixture.showsLogOf(chosen.number));
    }

    void theRunsOfAnotherExperimentAreNotHiddenByAState()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* states = shown<QComboBox>(*fixture.window().currentPage(), [](const QComboBox& combo) {
            return combo.accessibleName() == QStringLiteral("States shown");
        });
        QVERIFY(states);
        states->setCurrentText(QStringLiteral("Cancelled"));
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        QCOMPARE(states->currentText(), QStringLiteral("All states"));
        QVERIFY(!says(fixture.window(), QStringLiteral("run 0")));
    }

    void oneRunIsChosenWhateverKeysAreHeld()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        const auto* table = tableOf(fixture, "Runs");
        QVERIFY(table && waitFor([&] { return table->model()->rowCount() > 0; }));
        const RunId done = fixture.run(RunState::done, RunState::done).id,
                    failed = fixture.run(RunState::failed, RunState::failed).id;
        for (const auto key : {Qt::ControlModifier, Qt::ShiftModifier}) {
            QTest::keyPress(fixture.window().windowHandle(), Qt::Key_F15, key);
            QCOMPARE(QGuiApplication::keyboardModifiers(), Qt::KeyboardModifiers(key));
            for (const RunId& run : {done, failed, failed}) {
                fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run});
                settle();
                QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
            }
        }
        QTest::keyRelease(fixture.window().windowHandle(), Qt::Key_F15, Qt::NoModifier);
    }

    void whatNeedsARunOrAnExperimentIsOfferedWithOneOnly()
    {
        WindowFixture fixture;
        fixture.show();
        const auto areEnabled = [&](std::initializer_list<ActionId> ids) {
            return std::ranges::count_if(ids, [&](ActionId id) { return fixture.window().actions()[id]->isEnabled(); });
        };
        const auto ofRun = {ActionId::find, ActionId::openLog, ActionId::copyRunId};
        const auto ofExperiment = {ActionId::editExperiment, ActionId::showInCompare};
        fixture.go(PageId::monitor); // with nothing to show
        QCOMPARE(areEnabled(ofRun), 0);
        QCOMPARE(areEnabled(ofExperiment), 0);
        fixture.window().close();
        Measured measured;
        measured.go(PageId::monitor, QStringLiteral("first-light")); // which was never launched
        const auto& actions = measured.window().actions();
        QVERIFY(!actions[ActionId::find]->isEnabled() && actions[ActionId::editExperiment]->isEnabled());
        measured.go(PageId::monitor, kMeasured);
        QVERIFY(actions[ActionId::find]->isEnabled() && actions[ActionId::copyRunId]->isEnabled());
        QVERIFY(actions[ActionId::showInCompare]->isEnabled());
    }

    void anEnlargedLogIsSearchedWrappedAndLeftByEsc()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* log = shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& text) {
            return text.accessibleName() == QStringLiteral("Log");
        });
        QVERIFY(log);
        const store::RunRow run = measuredRunAs(fixture.store(), RunState::done, RunState::done);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        fixture.session().live().logArrived({run.id, run.attempt, 0, "warm-up: 3 iterations\nand warm again\n"});
        QVERIFY(waitFor([&] { return log->toPlainText().contains(QStringLiteral("warm again")); }));
        fixture.window().actions()[ActionId::find]->trigger();
        auto* search = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(search && !tableOf(fixture, "Runs"));
        QTest::keyClicks(search, QStringLiteral("WARM"));
        QCOMPARE(log->textCursor().selectedText(), QStringLiteral("warm"));
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(log->textCursor().hasSelection());
        QTest::keyClicks(search, QStringLiteral("zzz"));
        QVERIFY(says(fixture.window(), QStringLiteral("Not found")));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("monitor-log")), QStringList());
        QTest::keyClick(search, Qt::Key_Escape); // clears the search
        QVERIFY(search->text().isEmpty() && !tableOf(fixture, "Runs"));
        QTest::keyClick(search, Qt::Key_Escape); // and closes the log
        QVERIFY(tableOf(fixture, "Runs"));
        QCOMPARE(QApplication::focusWidget(), tableOf(fixture, "Runs"));
    }

    void linesOfAnEnlargedLogShowWhenTheyCame()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* log = shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& text) {
            return text.accessibleName() == QStringLiteral("Log");
        });
        const store::RunRow run = measuredRunAs(fixture.store(), RunState::done, RunState::done);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        fixture.session().live().logArrived({run.id, run.attempt, 0, "written before\n"}); // with the answer, or sooner
        QVERIFY(log && waitFor([&] { return log->placeholderText().startsWith(QStringLiteral("There is no log")); }));
        QCOMPARE(log->toPlainText(), QStringLiteral("r0  written before"));
        fixture.session().live().logArrived({run.id, run.attempt, 0, "written just now\n"});
        QVERIFY(waitFor([&] { return log->toPlainText().endsWith(QStringLiteral("written just now")); }));
        const QString without = log->toPlainText();
        fixture.window().actions()[ActionId::openLog]->trigger();
        auto* times = shown<QCheckBox>(fixture.window(),
                                       [](const QCheckBox& box) { return box.text() == QStringLiteral("Times"); });
        QVERIFY(times);
        times->click();
        const QStringList lines = log->toPlainText().split(QLatin1Char('\n'));
        QCOMPARE(lines.front(), QStringLiteral("          r0  written before"));
        static const QRegularExpression stamped(QStringLiteral("^\\d\\d:\\d\\d:\\d\\d  r0  written just now$"));
        QVERIFY2(stamped.match(lines.back()).hasMatch(), qPrintable(lines.back()));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("monitor-log-times")), QStringList());
        QTest::keyClick(log, Qt::Key_Escape);
        QCOMPARE(log->toPlainText(), without);
    }

    void aProcessOfSeveralRanksHasOneLogThatIsCalledByThem()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        store::RunRow run = measuredRunAs(fixture.store(), RunState::done, RunState::done);
        run.settings = Settings{{"ranks", Value(std::int64_t{4})}};
        run.ranksPerProcess = 2;
        settle();
        fixture.announce({run});
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        auto* ranks = shown<QComboBox>(fixture.window(), [](const QComboBox& box) {
            return box.accessibleName() == QStringLiteral("Ranks shown in the log");
        });
        QVERIFY(ranks && waitFor([&] { return ranks->count() == 4; }));
        QCOMPARE(ranks->itemText(1), QStringLiteral("Ranks 0–1"));
        QCOMPARE(ranks->itemText(2), QStringLiteral("Ranks 2–3"));
        fixture.live().logArrived({run.id, run.attempt, 1, "two of them\n"});
        QVERIFY(waitFor([&] {
            const auto* log = shown<QPlainTextEdit>(fixture.window(), [](const QPlainTextEdit& text) {
                return text.accessibleName() == QStringLiteral("Log");
            });
            return log && log->toPlainText().contains(QStringLiteral("r2–3  two of them"));
        }));
    }

    void configurationsCanBeToldApartWithLargeTextInASmallWindow()
    {
        WindowFixture fixture;
        fixture.theme().apply(Appearance::light, FontChoice::ringside, 1.3);
        fixture.fillStore();
        fixture.show({1100, 700});
        fixture.go(PageId::monitor, kMeasured);
        const auto* table = tableOf(fixture, "Runs");
        QVERIFY(table);
        for (int column = 0; column < table->model()->columnCount(); ++column)
            if (table->model()->headerData(column, Qt::Horizontal).toString() == QStringLiteral("Configuration"))
                QVERIFY(table->columnWidth(column) >=
                        table->fontMetrics().horizontalAdvance(QStringLiteral("ResNet-50 ")));
    }

    void messagesThatHoldComeBackAfterOthers()
    {
        ThemeController theme;
        MessageBar bar(theme);
        const Message trial{.text = QStringLiteral("A trial"), .topic = QStringLiteral("trial")};
        const Message loss{.text = QStringLiteral("No contact"),
                           .button = QStringLiteral("Reconnect"),
                           .topic = QStringLiteral("loss")};
        bar.setMessage(trial);
        bar.setMessage(loss);
        bar.drop(trial.topic); // another run was chosen
        QCOMPARE(bar.text(), loss.text);
        bar.setMessage(trial);
        bar.setMessage(loss);
        bar.drop(loss.topic); // contact is back
        QCOMPARE(bar.text(), trial.text);
        bar.setMessage({.text = QStringLiteral("Rank 3 runs on n7")});
        bar.clear();
        QCOMPARE(bar.text(), trial.text);
        bar.clear(); // closed by the user
        QVERIFY(bar.isHidden());
        bar.drop(trial.topic);
        QVERIFY(bar.isHidden());
    }

    void aMessageKeepsClearOfItsTime()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.theme().apply(Appearance::light, FontChoice::ringside, 1.3);
        const auto timeOf = [&](const QString& text) {
            MessageLog log;
            const QDateTime moment({2024, 11, 27}, {9, 14});
            log.restore({QVariantMap{{QStringLiteral("time"), moment}, {QStringLiteral("text"), text}}});
            MessagePanel panel(log, fixture.theme(), nullptr);
            panel.openAt({600, 600});
            const auto& list = *panel.findChild<QListView*>();
            const QFontMetrics caption(sized(list.font(), kCaptionSize));
            const int width = caption.horizontalAdvance(log.index(0).data(MessageLog::kTimeRole).toString());
            const QRect row = list.visualRect(log.index(0));
            return list.viewport()->grab({row.right() - 12 - width, row.top() + 8, width, caption.height()}).toImage();
        };
        const QImage alone = timeOf(QStringLiteral("."));
        QVERIFY(!alone.isNull());
        QCOMPARE(timeOf(QString(400, QLatin1Char('i')).replace(QStringLiteral("ii"), QStringLiteral("i "))), alone);
    }

    void theLogOfAnotherExperimentGoesWithIt()
    {
        Measured fixture;
        store::RunRow run = fixture.run(RunState::done, RunState::done);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        settle();
        QVERIFY(fixture.showsLogOf(run.number));
        auto* states = shown<QComboBox>(fixture.window(), [](const QComboBox& box) {
            return box.accessibleName() == QLatin1String("States shown");
        });
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        states->setCurrentText(QStringLiteral("Running"));
        store::RunRow other = run;
        other.id = RunId::random();
        other.experiment = "first-light";
        fixture.announce({other}); // hidden by the filter
        QVERIFY(!fixture.showsLogOf(run.number));
        QVERIFY(says(fixture.window(), QStringLiteral("Log")));
    }

    void whatRunsIsFollowedThoughItsRowsAppearUnderTheFocus()
    {
        Measured fixture;
        fixture.window().activateWindow(); // there is no window manager here
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        settle();
        store::RunRow first = fixture.run(RunState::done, RunState::done);
        first.experiment = "first-light";
        first.number = 1;
        const store::RunRow second = another(2, first);
        fixture.announce({as(RunState::queued, first), as(RunState::queued, second)});
        QVERIFY(qobject_cast<QTableView*>(QApplication::focusWidget()));
        fixture.announce({as(RunState::running, first), as(RunState::queued, second)});
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("Throughput of run 1")); }));
        fixture.announce({as(RunState::done, first), as(RunState::running, second)});
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("Throughput of run 2")); }));
    }

    void aRunThatLeftTheMatrixIsListedUntilItHasEnded()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        settle();
        const auto* table = tableOf(fixture, "Runs");
        QVERIFY(table);
        const int before = table->model()->rowCount();
        store::RunRow run = another(4'711, fixture.run(RunState::done, RunState::done));
        run.inMatrix = false;
        fixture.announce({run});
        QCOMPARE(table->model()->rowCount(), before);
        fixture.announce({as(RunState::running, run)});
        QCOMPARE(table->model()->rowCount(), before + 1);
        QVERIFY(fixture.window().actions()[ActionId::cancel]->isEnabled());
        fixture.announce({run});
        QCOMPARE(table->model()->rowCount(), before + 1); // its end is announced
        QVERIFY(!fixture.window().actions()[ActionId::cancel]->isEnabled());
    }

    void nothingCanBeCancelledBeforeTheRunsOfAnotherExperimentAreRead()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        settle();
        fixture.announce({fixture.run(RunState::running, RunState::done)});
        QAction& cancel = *fixture.window().actions()[ActionId::cancel];
        QVERIFY(cancel.isEnabled());
        fixture.window().go({.page = PageId::monitor, .experiment = QStringLiteral("first-light")});
        QVERIFY(!cancel.isEnabled());
    }

    void whatCanBeCancelledFollowsTheRunsWhileItIsAsked()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        settle();
        const store::RunRow run = fixture.run(RunState::running, RunState::done), next = another(4'711, run);
        fixture.announce({run, as(RunState::queued, next)});
        fixture.window().actions()[ActionId::cancel]->trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()); }));
        const auto* cancel = buttonOf(*openDialog(fixture.window()), QStringLiteral("Cancel run %1").arg(run.number));
        QVERIFY(cancel && cancel->isEnabled());
        fixture.announce({as(RunState::done, run), next});
        QVERIFY2(!cancel->isEnabled(), "what was chosen has ended, and nothing else was chosen");
        auto* other = shown<QRadioButton>(*openDialog(fixture.window()), [](const QRadioButton& choice) {
            return choice.text() == QStringLiteral("This run (run 4,711)");
        });
        QVERIFY(other);
        other->setChecked(true);
        QCOMPARE(cancel->text(), QStringLiteral("Cancel run 4,711"));
        fixture.announce({as(RunState::done, run), as(RunState::done, next)});
        QVERIFY(waitFor([&] { return !openDialog(fixture.window()); }));
    }

    void anExperimentThatIsDeletedIsLeft()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        QVERIFY(!says(fixture.window(), QStringLiteral("Nothing is running.")));
        fixture.go(PageId::experiments);
        fixture.session().request(&fixture.session(), calling(&Conductor::deleteExperiment, kMeasuredExperiment));
        QVERIFY(waitFor([&] { return !fixture.session().experiments().holds(kMeasured); }));
        fixture.go(PageId::monitor);
        QVERIFY(waitFor([&] { return says(fixture.window(), QStringLiteral("Nothing is running.")); }));
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Monitor"));
        QVERIFY(!fixture.window().actions()[ActionId::editExperiment]->isEnabled());
    }

    void anExperimentThatIsNotThereIsLeft()
    {
        Measured fixture;
        fixture.go(PageId::monitor, QStringLiteral("gone")); // as an earlier message leads there
        fixture.go(PageId::experiments);
        fixture.go(PageId::monitor);
        QVERIFY(waitFor([&] { return fixture.window().currentPage()->windowName() == kMeasured; }));
    }

    void followingIsOfferedOnceSomethingRuns()
    {
        Measured fixture;
        store::RunRow run = fixture.run(RunState::done, RunState::done);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = run.id});
        settle();
        const auto isOffered = [&] {
            return shown<QPushButton>(fixture.window(), [](const QPushButton& button) {
                       return button.text() == QLatin1String("Follow the running run");
                   }) != nullptr;
        };
        QVERIFY(!isOffered());
        run.id = RunId::random();
        run.state = RunState::running;
        fixture.announce({run});
        QVERIFY(isOffered());
    }

    void theLogAloneMakesRoomForWhatIsGoneTo()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        settle();
        const QWidget& page = *fixture.window().currentPage();
        const auto* runs = shown<QTableView>(page, [](const QTableView&) { return true; });
        QVERIFY(runs);
        fixture.window().actions()[ActionId::openLog]->trigger();
        settle();
        QVERIFY(!runs->isVisible());
        QVERIFY(!says(page, QStringLiteral("Phases per rank")));
        for (const auto* column : page.findChildren<QScrollArea*>())
            QVERIFY(!column->isVisible()); // no empty column beside the log
        fixture.go(PageId::experiments, {});
        fixture.go(PageId::monitor, kMeasured);
        settle();
        QVERIFY(runs->isVisible());
        QVERIFY(says(page, QStringLiteral("Phases per rank")));
    }

    void theKeyboardStaysWithTheExperimentsWhenAllAreHidden()
    {
        Measured fixture;
        fixture.go(PageId::experiments, {});
        settle();
        const QWidget& page = *fixture.window().currentPage();
        auto* rows = shown<QTableView>(page, [](const QTableView&) { return true; });
        auto* states = shown<QComboBox>(page, [](const QComboBox&) { return true; });
        QVERIFY(rows && states);
        rows->setFocus();
        states->setCurrentText(QStringLiteral("Running")); // as the end of the last run does
        settle();
        QVERIFY(!rows->isVisible());
        const auto* clear = qobject_cast<QPushButton*>(fixture.window().focusWidget());
        QVERIFY(clear && clear->isVisible());
        states->setCurrentIndex(0);
        settle();
        QCOMPARE(fixture.window().focusWidget(), rows);
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::MonitorTest)
#include "test_monitor.moc"
