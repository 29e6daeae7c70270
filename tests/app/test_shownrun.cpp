// SPDX-License-Identifier: MIT
// The run that Monitor shows, while news come more quickly than the store is read.
#include "app/pages/monitor/loadcard.h"
#include "app/pages/monitor/runcards.h"
#include "app/pages/monitor/shownrun.h"
#include "app/pages/monitor/storedattempt.h"
#include "app/shell/actions.h"
#include "app/widgets/messagebar.h"
#include "core/spec/basecase.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QSemaphore>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <map>

namespace ringside::test {

namespace {

using Experiments = Result<std::vector<store::ExperimentRow>>;

/// A run of the measured experiment as if it were still under way, without a window.
struct Running : WindowFixture
{
    Running()
    {
        fillStore();
        row = measuredRunAs(store(), RunState::running);
        session().open(store());
        QVERIFY(waitFor([this] { return session().access() == Session::Access::writing; }));
        settle();
        load.emplace(theme());
        shown.emplace(session(), *load);
    }

    /// Runs on the thread of the queries, behind what was asked before.
    void askBehind(
        std::function<void()> query, std::function<void()> answered = [] {})
    {
        session().queries().ask(
            behind,
            [query](const store::Database& db, const std::stop_token&) -> Experiments {
                query();
                return store::experiments(db);
            },
            [answered](const Experiments&) { answered(); });
    }

    /// The next iteration of every rank, of which the store has nothing.
    std::vector<SampleBatch> nextIteration() const
    {
        std::vector<SampleBatch> batches;
        const auto db = store::Database::openForReading(store());
        const auto newest = store::samples(*db, row.id, row.attempt, 1);
        for (const store::RankSample& each : newest.value()) {
            Sample sample = each.sample;
            ++sample.seq;
            batches.push_back({row.id, row.attempt, each.rank, {sample}});
        }
        return batches;
    }

    store::RunRow row;
    JobTracker behind;
    std::optional<LoadCard> load;
    std::optional<ShownRun> shown;
};

/// All readings once more, `times` times, each time a day later.
void repeatTelemetry(const fs::path& path, std::size_t times)
{
    SQLite::Database db(path.string(), SQLite::OPEN_READWRITE, 10'000);
    db.exec("CREATE TEMP TABLE again AS SELECT * FROM telemetry");
    for (std::size_t i = 0; i < times; ++i)
        db.exec("UPDATE again SET at_ns = at_ns + 86400000000000; INSERT INTO telemetry SELECT * FROM again");
}

} // namespace

class ShownRunTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsUnderWayAnswersThoughMoreIsAsked()
    {
        QSemaphore isRead;
        Running fixture;
        std::optional<bool> hadSamples;
        fixture.shown->show(fixture.row);
        fixture.askBehind([&] { isRead.release(); }, [&] { hadSamples = fixture.shown->run().hasSamples(); });
        isRead.acquire();
        fixture.shown->load(); // before the answer is taken
        QVERIFY(waitFor([&] { return hadSamples.has_value(); }));
        QVERIFY(*hadSamples);
    }

    void whatComesBetweenTwoAnswersIsKept()
    {
        QSemaphore isReceived;
        Running fixture;
        const QSemaphoreReleaser evenIfItFails(isReceived);
        fixture.shown->show(fixture.row);
        fixture.askBehind([&] { isReceived.acquire(); });
        fixture.shown->load(); // asked once the first answer is there, behind what waits
        QVERIFY(waitFor([&] { return fixture.shown->run().hasSamples(); }));
        const std::vector<SampleBatch> next = fixture.nextIteration();
        QVERIFY(!next.empty());
        Q_EMIT fixture.session().live().samplesReceived(next);
        int answers = 0;
        connect(&*fixture.shown, &ShownRun::changed, this, [&answers] { ++answers; });
        isReceived.release();
        QVERIFY(waitFor([&] { return answers > 0; }));
        QCOMPARE(fixture.shown->run().points(1'000).back().iteration, double(next.front().samples.front().seq));
    }

    void nothingOfAnotherRunIsTaken()
    {
        Running fixture;
        fixture.shown->show(fixture.row);
        fixture.shown->load();
        store::RunRow other = fixture.row;
        other.id = RunId::random();
        fixture.shown->show(other); // of which nothing is stored
        settle();
        QVERIFY(!fixture.shown->run().hasSamples());
    }

    void readingEndsOnceItsAnswerIsNotWanted()
    {
        Running fixture;
        const auto db = store::Database::openForReading(fixture.store());
        std::stop_source noLonger;
        QVERIFY(LoadedRun::read(*db, fixture.row, noLonger.get_token()).has_value());
        noLonger.request_stop();
        const auto read = LoadedRun::read(*db, fixture.row, noLonger.get_token());
        QVERIFY(!read && read.error().code == ErrorCode::cancelled);
    }

    void ofALongRunTheNewestReadingsOfEachRankAreRead()
    {
        Running fixture;
        const int ranks = int(spec::ranksOf(*fixture.row.settings));
        const auto read = [&] {
            const auto db = store::Database::openForReading(fixture.store());
            return StoredAttempt::read(*db, fixture.row.id, fixture.row.attempt, ranks, {}).value();
        };
        const std::int64_t newest = read().telemetry.back().telemetry.atNs;
        repeatTelemetry(fixture.store(), 2 * LoadTrace::kPoints);
        std::map<int, std::size_t> readings;
        for (const store::RankTelemetry& each : read().telemetry) {
            QVERIFY(each.telemetry.atNs > newest);
            ++readings[each.rank];
        }
        QCOMPARE(readings.size(), std::size_t(ranks));
        for (const auto& [rank, count] : readings)
            QCOMPARE(count, LoadTrace::kPoints);
    }

    void thePlaceOfARankIsSaidWhileItsRunIsShown()
    {
        WindowFixture fixture;
        fixture.fillStore();
        fixture.show();
        fixture.go(PageId::monitor, QString::fromLatin1(kMeasuredExperiment));
        const QWidget& page = *fixture.window().currentPage();
        auto* late = page.findChild<LateCard*>();
        QVERIFY(late);
        const auto message = [&] { return shown<MessageBar>(page, [](const MessageBar&) { return true; }); };
        QVERIFY(!message());
        Q_EMIT late->rankWanted(0);
        QVERIFY(waitFor([&] { return message() != nullptr; }));
        fixture.window().actions()[ActionId::nextRun]->trigger();
        settle();
        QVERIFY(!message());
    }
};

} // namespace ringside::test

QTEST_MAIN(ringside::test::ShownRunTest)
#include "test_shownrun.moc"
