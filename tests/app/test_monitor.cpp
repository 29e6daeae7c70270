// SPDX-License-Identifier: MIT
// Monitor shows the run that was asked for, and nothing of what was shown before it; a list whose rows all go hands the
// keyboard on.
#include "app/session/qtsink.h"
#include "app/shell/page.h"
#include "app/widgets/messagebar.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QComboBox>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTest>

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
    bool showsLogOf(int number) { return says(window(), QStringLiteral("Log of run %1").arg(number)); }
};

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
        states->setCurrentText(QStringLiteral("Running"));
        fixture.go(PageId::monitor, QStringLiteral("first-light"));
        store::RunRow other = run;
        other.id = RunId::random();
        other.experiment = "first-light";
        fixture.live().runsChanged({other}); // hidden by the filter
        settle();
        QVERIFY(!fixture.showsLogOf(run.number));
        QVERIFY(says(fixture.window(), QStringLiteral("Log")));
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
