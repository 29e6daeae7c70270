// SPDX-License-Identifier: MIT
// Monitor shows the run that was asked for, and nothing of what was shown before it.
#include "app/session/qtsink.h"
#include "app/shell/page.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

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
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::MonitorTest)
#include "test_monitor.moc"
