// SPDX-License-Identifier: MIT
// Canaries beside a calibration of their site.
#include "core/store/canaries.h"
#include "core/store/flagreasons.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"

#include <algorithm>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Run 2 of the fixture (2 ranks) after calibrations by as many: runs 3 and 4.
struct CalibratedStore : StoreFixture
{
    store::Ingest ingest = must(store::Ingest::create(db));
    CampaignPlan calibrations;

    CalibratedStore()
    {
        calibrations = plan;
        calibrations.campaign = CampaignId::random();
        calibrations.experiment = "calibration-local";
        calibrations.runs = {plan.runs[1], plan.runs[1]};
        calibrations.runs[0].configurationKey = "key-calibration";
        calibrations.runs[1].configurationKey = "key-calibration-2";
        store::ExperimentEdit edit{"calibration-local", "", "local", 1, "format = 1\n", {}};
        for (RunSpec& run : calibrations.runs) {
            run.id = RunId::random();
            run.settings["engine"] = std::string(kCalibrationEngine);
            edit.cells.push_back({run.configurationKey, run.settings, run.plan});
        }
        must(store::saveExperiment(db, edit));
        must(test::addCampaign(db, calibrations));
    }

    /// Ends an attempt of two ranks that have these canaries, before and after.
    void end(const CampaignPlan& of, std::size_t which, std::int64_t atNs, Canary before, Canary after, int attempt = 1)
    {
        const RunId run = of.runs.at(which).id;
        after.after = true;
        for (int rank : {0, 1}) {
            store::SpoolArrival arrival = samples(1, rank, 0, 10, 900);
            arrival.campaign = of.campaign;
            arrival.run = run;
            arrival.attempt = attempt;
            arrival.cursor.path = fmt::format("{}-{}-{}", run.str(), attempt, rank);
            for (Canary canary : {before, after}) {
                canary.readBytesPerSecond = rank == 0 ? canary.readBytesPerSecond : 0; // one rank of the node reads
                arrival.records.emplace_back(canary);
            }
            arrival.records.emplace_back(End{10, 0, 0});
            must(ingest.drain({arrival}));
        }
        must(ingest.drain(
            {campaign::RunChange{run, attempt, RunState::starting, Cause::none, {}, std::nullopt, atNs},
             campaign::RunChange{run, attempt, RunState::done, Cause::none, {}, std::nullopt, atNs + kSecond}}));
        REQUIRE(must(store::refreshSummaries(db)).size() == 1);
    }

    void calibrate(std::int64_t atNs, std::size_t which = 0)
    {
        end(calibrations, which, atNs, {1, false, 900'000'000, 1'900'000}, {2, true, 1'100'000'000, 2'100'000});
    }
    /// Six readings of each canary: of both, the median is as in kUsual, and half lie a tenth of it off.
    void calibrateOften()
    {
        for (int attempt : {1, 2, 3})
            end(calibrations, 0, kStart + 2 * attempt * kSecond, {1, false, 900'000'000, 1'900'000},
                {2, true, 1'100'000'000, 2'100'000}, attempt);
    }

    void disturb(int run)
    {
        db.handle().exec("UPDATE attempts SET flags = '[\"disturbed\"]' WHERE run = " + std::to_string(run));
    }

    /// Sets it in all runs of a configuration.
    void set(const std::string& configuration, const std::string& setting, const std::string& value)
    {
        db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$." + setting + "', '" + value +
                         "') WHERE key = '" + configuration + "'");
    }

    /// Sets how the ranks of this run's attempt communicate.
    void speak(const RunSpec& run, const std::string& transport)
    {
        Facts facts;
        facts.transport = transport;
        must(ingest.drain({store::FactsArrival{run.id, 1, factsToJson(facts)}}));
    }

    std::vector<store::FlagReason> off() const
    {
        auto reasons = must(store::flagReasons(db, plan.runs[1].id, 1));
        std::erase_if(reasons, [](const auto& reason) { return reason.flag != "disturbed"; });
        return reasons;
    }
    bool isDisturbed() const
    {
        const auto flags = row(1).flags;
        return std::find(flags.begin(), flags.end(), "disturbed") != flags.end();
    }
};

constexpr Canary kUsual{1, false, 1'000'000'000, 2'000'000};
constexpr std::int64_t kLater = kStart + 100 * kSecond;

} // namespace

TEST_CASE("canaries are kept, and usual ones disturb nothing")
{
    CalibratedStore store;
    store.calibrateOften();
    store.end(store.plan, 1, kLater, kUsual, kUsual);
    const auto kept = must(store::canaries(store.db, store.plan.runs[1].id, 1));
    REQUIRE(kept.size() == 4);
    CHECK(kept[0].rank == 0);
    CHECK(kept[0].canary == kUsual);
    CHECK(kept[1].canary.after);
    CHECK(kept[2].rank == 1);
    CHECK(kept[2].canary.readBytesPerSecond == 0);
    CHECK(store.off().empty());
    CHECK_FALSE(store.isDisturbed());
}

TEST_CASE("a slow disk before and a slow link after disturb an attempt, with what was usual")
{
    CalibratedStore store;
    store.calibrateOften();
    Canary before = kUsual, after = kUsual;
    before.readBytesPerSecond = 300'000'000;
    after.allReduceNs = 4'000'000;
    store.end(store.plan, 1, kLater, before, after);
    CHECK(store.isDisturbed());
    const auto off = store.off();
    REQUIRE(off.size() == 3); // the link is slow for both ranks
    CHECK(off[0].code == "unusual_read");
    CHECK(off[0].rank == 0);
    CHECK(off[0].after == false);
    CHECK(off[0].value == 3e8);
    CHECK(off[0].usual == 1e9);
    CHECK(off[0].limit == doctest::Approx(1e9 - 4 * 1.4826 * 1e8));
    CHECK(off[1].code == "unusual_all_reduce");
    CHECK(off[1].after == true);
    CHECK(off[1].limit == doctest::Approx(2e6 + 4 * 1.4826 * 1e5));
    CHECK(off[2].rank == 1);
}

TEST_CASE("what varies much from run to run may be far from its median")
{
    CalibratedStore store;
    for (int i = 0; i < 3; ++i) // −28 to +243 %
        store.end(store.calibrations, 0, kStart + 2 * i * kSecond, {1, false, 900'000'000, 1'440'000 + i * 900'000},
                  {2, true, 1'100'000'000, 2'000'000 + i * 2'400'000}, i + 1);
    Canary slow = kUsual;
    slow.allReduceNs = 4'800'000;
    store.end(store.plan, 1, kLater, slow, kUsual);
    CHECK(store.off().empty());
}

TEST_CASE("below five readings of the same shape there is no verdict")
{
    CalibratedStore store;
    store.calibrate(kStart);
    store.calibrate(kStart + 2 * kSecond, 1); // four
    Canary slow = kUsual;
    slow.allReduceNs = 9'000'000;
    slow.readBytesPerSecond = 1'000;
    store.end(store.plan, 1, kLater, slow, slow);
    CHECK(store.off().empty());
    CHECK_FALSE(store.isDisturbed());
}

TEST_CASE("only attempts before this one, by as many ranks, say what is usual")
{
    CalibratedStore store;
    Canary slow = kUsual;
    slow.allReduceNs = 9'000'000;
    std::int64_t begin = kLater;
    SUBCASE("later ones")
    {
        store.calibrateOften();
        begin = kStart - 10 * kSecond;
    }
    SUBCASE("by other ranks")
    {
        store.calibrateOften();
        store.db.handle().exec(
            "UPDATE configurations SET settings = json_set(settings, '$.ranks', 4) WHERE key = 'key-calibration'");
    }
    SUBCASE("by another backend")
    {
        store.calibrateOften();
        store.set("key-calibration", "backend", "nccl");
    }
    SUBCASE("over another network")
    {
        store.calibrateOften();
        store.set("key-calibration", "interface", "ib0");
    }
    SUBCASE("elsewhere")
    {
        store.calibrateOften();
        store.db.handle().exec("UPDATE runs SET site = 'alder' WHERE configuration = 'key-calibration'");
    }
    store.end(store.plan, 1, begin, slow, slow);
    CHECK(store.off().empty());
    CHECK_FALSE(store.isDisturbed());
}

TEST_CASE("an all-reduce is held against those over the same network alone, reading against any")
{
    CalibratedStore store;
    store.calibrateOften();
    SUBCASE("the interface is another one")
    {
        store.set("key-2", "interface", "eth1g");
    }
    SUBCASE("the backend is another one")
    {
        store.set("key-2", "backend", "nccl");
    }
    SUBCASE("the transport is another one")
    {
        store.speak(store.calibrations.runs[0], "mpi: ob1 over self, tcp, vader");
        store.speak(store.plan.runs[1], "tcp");
    }
    const Canary slow{1, false, 400'000'000, 9'000'000};
    store.end(store.plan, 1, kLater, slow, slow);
    const auto off = store.off();
    REQUIRE(off.size() == 2);
    CHECK(off[0].code == "unusual_read");
    CHECK(off[1].code == "unusual_read");
}

TEST_CASE("settings that say what is the default name the same network")
{
    CalibratedStore store;
    store.calibrateOften();
    store.set("key-2", "interface", "any");
    store.set("key-calibration", "backend", "launcher");
    Canary slow = kUsual;
    slow.allReduceNs = 9'000'000;
    store.end(store.plan, 1, kLater, slow, kUsual);
    CHECK(store.off().size() == 2); // both ranks
}

TEST_CASE("of a site are known the latest calibration, and the latest in peace, of each shape and means")
{
    CalibratedStore store;
    store.calibrate(kStart, 0);
    store.calibrate(kStart + 2 * kSecond, 1);
    Facts facts;
    facts.calibration = Calibration{2, 1, 1, {5e10, 4e10}, {}, {}, "", {}, {}};
    const auto say = [&](std::size_t run) {
        must(store.ingest.drain({store::FactsArrival{store.calibrations.runs[run].id, 1, factsToJson(facts)}}));
    };
    const auto runsKnown = [&] {
        std::vector<int> runs;
        for (const auto& each : must(store::calibrations(store.db, "local")))
            runs.push_back(each.run);
        return runs;
    };
    say(0);
    say(1);
    CHECK(runsKnown() == std::vector{4});
    store.disturb(4);
    CHECK(runsKnown() == std::vector{4, 3});
    store.disturb(3);
    CHECK(runsKnown() == std::vector{4});
    facts.calibration->means.interface = "eth1g";
    say(1);
    CHECK(runsKnown() == std::vector{4, 3});
}

TEST_CASE("what a site can do is that of its latest calibration of each shape")
{
    CalibratedStore store;
    CHECK(must(store::calibrations(store.db, "local")).empty());
    store.calibrate(kStart);
    Facts facts;
    facts.transport = "mpi";
    facts.calibration = Calibration{2, 1, 1, {5e10, 4e10}, {}, {}, "", {}, {}};
    must(store.ingest.drain({store::FactsArrival{store.calibrations.runs[0].id, 1, factsToJson(facts)}}));
    const auto known = must(store::calibrations(store.db, "local"));
    REQUIRE(known.size() == 1);
    CHECK(known[0].calibration == *facts.calibration);
    CHECK(known[0].run == 3);
    CHECK(known[0].endedAt == kStart + kSecond);
    CHECK(must(store::calibrations(store.db, "alder")).empty());
}
