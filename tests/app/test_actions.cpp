// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of pages: when they are offered, which keys carry them out, and where their answers lead.
#include "app/session/background.h"
#include "app/shell/actions.h"
#include "app/text/text.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"
#include "tests/support/lenetexperiment.h"

#include <QAction>
#include <QDialog>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <SQLiteCpp/Database.h>
#include <algorithm>
#include <fmt/format.h>
#include <future>

namespace ringside::test {

namespace {

const QString kMeasured = QString::fromLatin1(kMeasuredExperiment);

QTableView& tableOf(WindowFixture& fixture)
{
    return *fixture.window().currentPage()->findChild<QTableView*>();
}

} // namespace

class ActionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ctrlAndSpaceChangeTheSelectionAndNoStar()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::experiments, QStringLiteral("first-light"));
        QTableView& table = tableOf(fixture);
        const auto stars = [&] {
            return std::ranges::count(fixture.session().experiments().rows(), true, &store::ExperimentRow::starred);
        };
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QTest::keyClick(&table, Qt::Key_Space, Qt::ControlModifier);
        settle();
        QCOMPARE(table.selectionModel()->selectedRows().size(), 0);
        QCOMPARE(stars(), 0);
        QTest::keyClick(&table, Qt::Key_Space, Qt::ControlModifier);
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QTest::keyClick(&table, Qt::Key_Space);
        QVERIFY(waitFor([&] { return stars() == 1; }));
    }

    void anExperimentWithoutMissingRunsIsNotLaunched()
    {
        WindowFixture fixture;
        fixture.fillStore();
        {
            auto db = store::Database::openForWriting(fixture.store());
            QVERIFY(db.has_value()); // what failed of its own is not run again by a launch
            for (const char* table : {"runs", "attempts"})
                db->handle().exec(fmt::format("UPDATE {} SET state = 'failed', cause = 'settings' "
                                              "WHERE state IN ('failed', 'cancelled')",
                                              table));
        }
        fixture.show();
        fixture.go(PageId::experiments, kMeasured);
        auto* launch = fixture.window().actions()[ActionId::launch];
        QVERIFY(launch->isEnabled()); // the list does not know why they failed
        launch->trigger();
        const auto page = [&]() -> const QWidget& { return *fixture.window().currentPage(); };
        QVERIFY(waitFor([&] { return says(page(), QStringLiteral("No run is missing")); }, 30'000));
        QVERIFY(!openDialog(fixture.window()) && !launch->isEnabled());
    }

    void anAnswerToALaunchLeavesTheUserOnAnotherPage()
    {
        WindowFixture fixture;
        fixture.show();
        fixture.window().go({.page = PageId::editor, .toml = toQt(lenetExperiment("few", "ranks = [1]", 1, 8))});
        auto* launch = fixture.window().actions()[ActionId::launch];
        QVERIFY(waitFor([&] { return launch->isEnabled(); }, 30'000));
        launch->trigger();
        QVERIFY(waitFor([&] { return openDialog(fixture.window()) != nullptr; }, 30'000));
        buttonOf(*openDialog(fixture.window()), QStringLiteral("Launch 1 run"))->click();
        fixture.window().go({.page = PageId::sites});
        const auto isLaunched = [&] {
            const auto& rows = fixture.session().experiments().rows();
            return !rows.empty() && rows.front().runs.total == 1;
        };
        QVERIFY(waitFor(isLaunched, 30'000));
        settle();
        QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Sites"));
    }

    void aQuestionAboutAnExperimentStaysOnItsPage()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        for (const ActionId id : {ActionId::removeExperiment, ActionId::duplicate}) {
            fixture.go(PageId::experiments, kMeasured);
            fixture.window().actions()[id]->trigger();
            fixture.window().go({.page = PageId::sites});
            settle();
            QVERIFY(!openDialog(fixture.window()));
            QCOMPARE(fixture.window().currentPage()->windowName(), QStringLiteral("Sites"));
        }
    }

    void workThatHangsHoldsNothingUp()
    {
        std::promise<void> server;
        const auto read = [answer = server.get_future().share()](const std::stop_token&) {
            answer.wait();
            return 1;
        };
        int delivered = 0;
        const auto deliver = [&](int value) { delivered += value; };
        {
            JobTracker closed;
            runApart(closed, read, deliver);
        } // comes back
        JobTracker open;
        runApart(open, read, deliver);
        server.set_value();
        QVERIFY(waitFor([&] { return delivered > 0; }));
        settle();
        QCOMPARE(delivered, 1);
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ActionsTest)
#include "test_actions.moc"
