// SPDX-License-Identifier: MIT
// Nothing on a page contradicts another part of it, and nothing moves, vanishes or stays silent under the user's hands.
#include "app/charts/heatstrip.h"
#include "app/pages/monitor/runmodel.h"
#include "app/session/sinkgate.h"
#include "app/shell/actions.h"
#include "app/shell/page.h"
#include "app/text/text.h"
#include "app/widgets/messagebar.h"
#include "app/window/endmessage.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/spec/calibration.h"
#include "core/spec/toml.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QHelpEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

/// The text of the message bar in front; empty if there is none.
QString barText(WindowFixture& fixture)
{
    const auto* bar = shown<MessageBar>(*fixture.window().currentPage(), [](const MessageBar&) { return true; });
    return bar ? bar->text() : QString();
}

QTableView* tableOf(WindowFixture& fixture, const char* name)
{
    return shown<QTableView>(*fixture.window().currentPage(),
                             [&](const QTableView& table) { return table.accessibleName() == QLatin1String(name); });
}

QStringList firstColumn(const QAbstractItemModel& model)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.index(row, 0).data().toString();
    return texts;
}

/// A window on the measured experiment.
struct Measured : WindowFixture
{
    Measured()
    {
        fillStore();
        show();
    }

    /// As the conductor would announce a run in this state, which is a trial of an experiment that was never launched.
    void showTrial(RunState state, const Reason& reason = {})
    {
        store::RunRow run = measuredRunAs(store(), state, RunState::done);
        run.id = trial;
        run.number = 999;
        run.kind = RunKind::trial;
        run.experiment = "first-light";
        if (!reason.empty())
            run.reason = reason;
        session().live().runsChanged({run});
        settle();
    }

    RunId trial = RunId::random();
};

} // namespace

class CalmTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theEndOfOneExperimentDoesNotStandOverAnother()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        store::ExperimentRow row;
        row.name = kMeasuredExperiment;
        row.runs.total = row.runs.done = 36;
        fixture.window().currentPage()->showMessage(endMessage(row));
        QVERIFY(barText(fixture).contains(QStringLiteral("36 of 36 runs done")));
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        QCOMPARE(barText(fixture), QString());
    }

    void theEndIsNotToldWhileItsRunsAreTriedAgain()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        store::ExperimentRow row;
        row.name = kMeasuredExperiment;
        row.runs.total = 60;
        row.runs.failed = 1;
        row.runs.done = 59;
        fixture.window().currentPage()->showMessage(endMessage(row));
        QVERIFY(barText(fixture).contains(QStringLiteral("1 failed")));
        LaunchRequest request;
        request.experiment = kMeasuredExperiment;
        request.retryFailed = true;
        fixture.session().request(&fixture.session(), [&](Conductor& conductor, Completion<> done) {
            conductor.launch(request, std::move(done));
        });
        QVERIFY(waitFor([&] { return !barText(fixture).contains(QStringLiteral("1 failed")); }));
    }

    void whyARunFailedStandsOnThePage()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        const store::RunRow failed = measuredRunAs(fixture.store(), RunState::failed, RunState::failed);
        fixture.window().go({.page = PageId::monitor, .experiment = kMeasured, .run = failed.id});
        QVERIFY(failed.reason && failed.reason->code == why::kSilent);
        const QString why = QStringLiteral("Lost rank: ") + toQt(jobs::sentenceOf(*failed.reason));
        QVERIFY(waitFor([&] { return says(fixture.window(), why); }));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("monitor-failed-run")), QStringList());
    }

    void whatIsDisabledSaysWhy()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* retry = buttonOf(fixture.window(), QStringLiteral("Retry 1 failed"));
        QVERIFY(retry && retry->isEnabled());
        fixture.session().live().runsChanged({measuredRunAs(fixture.store(), RunState::running, RunState::done)});
        QVERIFY(waitFor([&] { return !retry->isEnabled(); }));
        QVERIFY2(retry->toolTip().contains(QStringLiteral("once what runs or waits has ended")),
                 qPrintable(retry->toolTip()));
    }

    void aTrialIsShownCancelledAndLeft()
    {
        Measured fixture;
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        fixture.showTrial(RunState::running);
        QVERIFY(says(fixture.window(), QStringLiteral("Trial: Running")));
        QVERIFY(!says(fixture.window(), QStringLiteral("0 of 0")));
        const auto isTold = [](const QToolButton& entry) { return entry.text() == QStringLiteral("One run is tried"); };
        QVERIFY(shown<QToolButton>(fixture.window(), isTold));
        QVERIFY(barText(fixture).startsWith(QStringLiteral("A trial: ")));
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("monitor-trial")), QStringList());
        auto* cancel = fixture.window().actions()[ActionId::cancel];
        QVERIFY(cancel->isEnabled());
        cancel->trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()); }));
        const auto* choice = shown<QRadioButton>(*openDialog(fixture.window()), [](const auto&) { return true; });
        QVERIFY(choice);
        QCOMPARE(choice->text(), QStringLiteral("This run (run 999)"));
        openDialog(fixture.window())->reject();
        const Reason reason = because(why::kNotStarted, {{"exit_code", 2}, {"said", "no images in /data"}});
        fixture.showTrial(RunState::failed, reason);
        QVERIFY2(barText(fixture).contains(toQt(jobs::sentenceOf(reason))), qPrintable(barText(fixture)));
        QVERIFY2(barText(fixture).contains(QStringLiteral("no images in /data")), qPrintable(barText(fixture)));
        QVERIFY(!shown<QToolButton>(fixture.window(), isTold));
        buttonOf(fixture.window(), QStringLiteral("Back to the editor"))->click();
        QVERIFY(waitFor([&] { return fixture.window().currentPage()->windowName() == QStringLiteral("first-light"); }));
        QVERIFY(buttonOf(fixture.window(), QStringLiteral("Try one run")));
    }

    void anotherDatabaseShowsNothingOfTheOneBefore()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* runs = tableOf(fixture, "Runs");
        QVERIFY(runs && waitFor([&] { return runs->model()->rowCount() > 0; }));
        fixture.go(PageId::experiments);
        auto* experiments = tableOf(fixture, "Experiments");
        QVERIFY(experiments && waitFor([&] { return experiments->model()->rowCount() > 0; }));
        const auto* exports = fixture.window().actions()[ActionId::exportFigure];
        fixture.go(PageId::compare, kMeasured);
        auto* summary = tableOf(fixture, "Summary, one row per point");
        QVERIFY(summary && waitFor([&] { return summary->model()->rowCount() > 0 && exports->isEnabled(); }));
        JobTracker question;
        std::optional<bool> answered;
        fixture.session().queries().ask(
            question, [](const store::Database& db, std::stop_token) { return store::experiments(db); },
            [&](const Result<std::vector<store::ExperimentRow>>& rows) { answered = rows.has_value(); });
        fixture.session().open(fixture.folder() / "other.db");
        QCOMPARE(experiments->model()->rowCount(), 0); // at once
        QCOMPARE(runs->model()->rowCount(), 0);
        QCOMPARE(summary->model()->rowCount(), 0);
        QVERIFY(!exports->isEnabled());
        QVERIFY(waitFor([&] { return fixture.session().access() == Session::Access::writing; }));
        QVERIFY(waitFor([&] { return answered.has_value(); }));
        QVERIFY2(!*answered, "the first database does not answer for the second");
        settle();
        QCOMPARE(experiments->model()->rowCount(), 0);
        QCOMPARE(runs->model()->rowCount(), 0);
        QCOMPARE(summary->model()->rowCount(), 0);
        QVERIFY(!exports->isEnabled());
        QVERIFY(!says(fixture.window(), QStringLiteral("No database is open.")));
    }

    void whatIsNoLongerChosenIsNotShown()
    {
        Measured fixture;
        const auto* exports = fixture.window().actions()[ActionId::exportFigure];
        fixture.go(PageId::compare, kMeasured, QStringLiteral("speedup"));
        auto* summary = tableOf(fixture, "Summary, one row per point");
        QVERIFY(summary && waitFor([&] { return exports->isEnabled(); }));
        settle();
        QSignalSpy resets(summary->model(), &QAbstractItemModel::modelReset);
        for (const char* kind : {"Throughput", "Phases"}) // the second while the first is computed
            shown<QAbstractButton>(*fixture.window().currentPage(), [kind](const QAbstractButton& button) {
                return button.text() == QString::fromLatin1(kind);
            })->click();
        QVERIFY2(!exports->isEnabled(), "what is shown is not what was chosen");
        QVERIFY(waitFor([&] { return !resets.empty(); }));
        settle();
        QCOMPARE(resets.size(), 1);
        QVERIFY(exports->isEnabled());
    }

    void aConductorThatEndsIsNotHeardAnyMore()
    {
        QtSink sink;
        SinkGate gate(sink);
        QSignalSpy changed(&sink, &QtSink::runsOutdated);
        int completed = 0;
        const auto complete = [&] { sink.deliver([&completed] { ++completed; }); };
        gate.experimentsChanged({"before"});
        gate.pass(complete);
        gate.close();
        sink.forget();
        gate.experimentsChanged({"after"});
        gate.pass(complete);
        sink.experimentsChanged({"of the next"});
        QVERIFY(waitFor([&] { return !changed.empty(); }));
        settle();
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed.front().front().toStringList(), QStringList{QStringLiteral("of the next")});
        QCOMPARE(completed, 0);
    }

    void whatItsRunsSayIsNotToBeAskedAgain()
    {
        QtSink sink;
        QSignalSpy rows(&sink, &QtSink::runsUpdated), outdated(&sink, &QtSink::runsOutdated);
        store::RunRow run;
        run.id = RunId::random();
        run.experiment = "one";
        sink.runsChanged({run});
        sink.deliver([] {});
        QVERIFY(waitFor([&] { return !rows.empty(); }));
        QCOMPARE(outdated.size(), 0);
        sink.runsChanged({run});
        sink.experimentsChanged({"two"});
        sink.deliver([] {});
        QVERIFY(waitFor([&] { return !outdated.empty(); }));
        QCOMPARE(outdated.front().front().toStringList(), QStringList{QStringLiteral("two")});
        QCOMPARE(rows.size(), 2);
    }

    void rowsStayUnderThePointer()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* table = tableOf(fixture, "Runs");
        QVERIFY(table && waitFor([&] { return table->model()->rowCount() > 0; }));
        const store::RunRow run = measuredRunAs(fixture.store(), RunState::running, RunState::done);
        const QStringList before = firstColumn(*table->model());
        QTest::mouseMove(table->viewport(), QPoint(40, 60));
        QTest::mouseMove(table->viewport(), QPoint(42, 61));
        fixture.session().live().runsChanged({run});
        settle();
        QCOMPARE(firstColumn(*table->model()), before);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(table->viewport(), &leave);
        QVERIFY(firstColumn(*table->model()) != before);
        QCOMPARE(firstColumn(*table->model()).front(), QString::number(run.number));
    }

    void monitorBeginsInItsRuns()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        QCOMPARE(QApplication::focusWidget(), tableOf(fixture, "Runs"));
        fixture.go(PageId::experiments);
        fixture.go(PageId::monitor);
        QCOMPARE(QApplication::focusWidget(), tableOf(fixture, "Runs"));
    }

    void keysLeadFromTheFilterToWhatItFound()
    {
        Measured fixture;
        fixture.go(PageId::experiments);
        auto* table = tableOf(fixture, "Experiments");
        auto* filter = shown<QLineEdit>(
            fixture.window(), [](const QLineEdit& line) { return line.accessibleName() == QStringLiteral("Filter"); });
        QVERIFY(table && filter);
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("first"));
        QTest::keyClick(filter, Qt::Key_Down);
        QCOMPARE(QApplication::focusWidget(), table);
        QTest::keyClick(table, Qt::Key_Space); // stars it
        settle();
        QCOMPARE(QApplication::focusWidget(), table);
        filter->setFocus();
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(waitFor([&] { return fixture.window().currentPage()->windowName() == QStringLiteral("first-light"); }));
    }

    void aFilterThatFindsNothingMovesNothing()
    {
        Measured fixture;
        fixture.go(PageId::experiments);
        auto* filter = shown<QLineEdit>(
            fixture.window(), [](const QLineEdit& line) { return line.accessibleName() == QStringLiteral("Filter"); });
        const QPoint place = filter->mapTo(&fixture.window(), QPoint());
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("zzz"));
        settle();
        QVERIFY(says(fixture.window(), QStringLiteral("No experiment matches “zzz”.")));
        QCOMPARE(filter->mapTo(&fixture.window(), QPoint()), place);
        QCOMPARE(lookAt(fixture.window(), QStringLiteral("experiments-no-match")), QStringList());
        buttonOf(fixture.window(), QStringLiteral("Clear filter"))->click();
        QVERIFY(filter->text().isEmpty() && tableOf(fixture, "Experiments"));
    }

    void aCalibrationIsNoExperimentOfTheList()
    {
        Measured fixture;
        const spec::Experiment calibration = spec::calibrationExperiment("local", {}, 1);
        QVERIFY(save(fixture.session(), calibration));
        fixture.go(PageId::experiments);
        const auto* table = tableOf(fixture, "Experiments");
        QVERIFY(table);
        for (int row = 0; row < table->model()->rowCount(); ++row)
            QVERIFY(!table->model()->index(row, 1).data().toString().startsWith(QStringLiteral("calibration")));
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void theNameOfANewExperimentIsTypedOver()
    {
        Measured fixture;
        fixture.window().actions()[ActionId::newExperiment]->trigger();
        settle();
        auto* name = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(name);
        QCOMPARE(name->selectedText(), QStringLiteral("untitled"));
        QTest::keyClicks(name, QStringLiteral("mine"));
        QCOMPARE(name->text(), QStringLiteral("mine"));
    }

    void theBellCountsWhatItsListHoldsAndKeepsIt()
    {
        Measured fixture;
        const auto bellSays = [&](const char* words) {
            return shown<QToolButton>(fixture.window(), [&](const QToolButton& button) {
                       return button.text().contains(QLatin1String(words));
                   }) != nullptr;
        };
        QVERIFY(bellSays("No messages"));
        static_cast<Shell&>(fixture.window()).notify({Severity::warning, QStringLiteral("something happened")}, false);
        QVERIFY(bellSays("1 new message"));
        fixture.window().actions()[ActionId::messages]->trigger();
        settle();
        QApplication::activePopupWidget()->close();
        QVERIFY(bellSays("1 message") && !bellSays("No messages"));
        fixture.reopen();
        QVERIFY(bellSays("1 message"));
    }

    void theButtonOfAMessageInTheListDoesWhatItSays()
    {
        Measured fixture;
        int pressed = 0;
        static_cast<Shell&>(fixture.window())
            .notify({.text = QStringLiteral("something happened"),
                     .button = QStringLiteral("Show"),
                     .act = [&] { ++pressed; }},
                    false);
        const auto open = [&] {
            fixture.window().actions()[ActionId::messages]->trigger();
            settle();
            return QApplication::activePopupWidget()->findChild<QListView*>();
        };
        auto* list = open();
        const QRect row = list->visualRect(list->model()->index(0, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.topLeft() + QPoint(40, 16));
        QCOMPARE(pressed, 0);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.bottomRight() - QPoint(24, 14));
        QCOMPARE(pressed, 1);
        QVERIFY(!QApplication::activePopupWidget());
        list = open();
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(pressed, 2);
    }

    void noMenuHasAMnemonicTwice()
    {
        Measured fixture;
        QList<QMenu*> menus;
        for (const QAction* top : fixture.window().menuBar()->actions())
            menus << top->menu();
        QSet<QString> onTop;
        for (qsizetype i = 0; i < menus.size(); ++i) {
            QSet<QString> keys;
            for (QAction* entry : menus[i]->actions()) {
                if (entry->menu())
                    menus << entry->menu();
                const QString key = QKeySequence::mnemonic(entry->text()).toString();
                QVERIFY2(key.isEmpty() || !keys.contains(key),
                         qPrintable(menus[i]->title() + QLatin1Char(' ') + entry->text()));
                keys.insert(key);
            }
            const QString key = QKeySequence::mnemonic(menus[i]->title()).toString();
            const bool isOnTop =
                menus[i]->menuAction() && fixture.window().menuBar()->actions().contains(menus[i]->menuAction());
            QVERIFY2(!isOnTop || !onTop.contains(key), qPrintable(menus[i]->title()));
            if (isOnTop)
                onTop.insert(key);
        }
    }

    void liveChartsAnswerToThePointerAndToKeys()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        for (const char* name : {"Throughput of run", "Phases per rank"}) {
            auto* chart = shown<QAbstractScrollArea>(fixture.window(), [&](const QAbstractScrollArea& view) {
                return view.accessibleName().startsWith(QLatin1String(name));
            });
            QVERIFY(chart);
            const QPoint middle = chart->viewport()->rect().center();
            QHelpEvent over(QEvent::ToolTip, middle, chart->viewport()->mapToGlobal(middle));
            QApplication::sendEvent(chart->viewport(), &over);
            QVERIFY2(QToolTip::text().contains(QStringLiteral("teration")) ||
                         QToolTip::text().startsWith(QStringLiteral("Rank ")),
                     qPrintable(QToolTip::text()));
            const QString pointed = QToolTip::text();
            QToolTip::hideText();
            chart->setFocus();
            QTest::keyClick(chart, Qt::Key_Left);
            QTest::keyClick(chart, Qt::Key_Right);
            QCOMPARE(QToolTip::text().section(QLatin1Char(' '), 0, 0), pointed.section(QLatin1Char(' '), 0, 0));
        }
    }

    void cellsOfTheHeatStripAreReachedByKeys()
    {
        Measured fixture;
        fixture.go(PageId::monitor, kMeasured);
        auto* strip = shown<HeatStrip>(fixture.window(), [](const HeatStrip&) { return true; });
        QVERIFY(strip &&
                waitFor([&] { return strip->accessibleDescription() != QStringLiteral("No iteration yet."); }));
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_Down);
        const QString newest = strip->accessibleDescription();
        QVERIFY2(newest.startsWith(QStringLiteral("Rank 0, iteration ")), qPrintable(newest));
        QCOMPARE(QToolTip::text(), newest);
        QTest::keyClick(strip, Qt::Key_Down);
        QVERIFY(strip->accessibleDescription().startsWith(QStringLiteral("Rank 1, iteration ")));
        QTest::keyClick(strip, Qt::Key_Up);
        QTest::keyClick(strip, Qt::Key_Left);
        QVERIFY(strip->accessibleDescription() != newest);
        QTest::keyClick(strip, Qt::Key_Right);
        QTest::keyClick(strip, Qt::Key_Right); // there is none behind the newest
        QCOMPARE(strip->accessibleDescription(), newest);
    }

    void theStandardButtonIsOutermost()
    {
        Measured fixture;
        fixture.go(PageId::editor, QStringLiteral("first-light"));
        buttonOf(fixture.window(), QStringLiteral("Plans…"))->click();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()); }));
        const QDialog& dialog = *openDialog(fixture.window());
        const auto* cancel = buttonOf(dialog, QStringLiteral("Cancel"));
        const auto* standard = shown<QPushButton>(dialog, [](const QPushButton& button) { return button.isDefault(); });
        QVERIFY(cancel && standard);
        QVERIFY(standard->x() > cancel->x());
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::CalmTest)
#include "test_calm.moc"
