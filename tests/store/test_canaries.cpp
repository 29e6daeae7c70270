// SPDX-License-Identifier: MIT
// Canaries beside a calibration of their site.
#include "core/store/canaries.h"
#include "core/store/disturbances.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"

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
        must(store::addCampaign(db, calibrations));
    }

    /// Ends an attempt of two ranks that have these canaries, before and after.
    void end(const CampaignPlan& of, std::size_t which, std::int64_t atNs, Canary before, Canary after)
    {
        const RunId run = of.runs.at(which).id;
        after.after = true;
        for (int rank : {0, 1}) {
            store::SpoolArrival arrival = samples(1, rank, 0, 10, 900);
            arrival.campaign = of.campaign;
            arrival.run = run;
            arrival.cursor.path = run.str() + std::to_string(rank);
            for (Canary canary : {before, after}) {
                canary.readBytesPerSecond = rank == 0 ? canary.readBytesPerSecond : 0; // one rank of the node reads
                arrival.records.emplace_back(canary);
            }
            arrival.records.emplace_back(End{10, 0, 0});
            must(ingest.drain({arrival}));
        }
        must(
            ingest.drain({campaign::RunChange{run, 1, RunState::starting, Cause::none, {}, std::nullopt, atNs},
                          campaign::RunChange{run, 1, RunState::done, Cause::none, {}, std::nullopt, atNs + kSecond}}));
        REQUIRE(must(store::refreshSummaries(db)).size() == 1);
    }

    void calibrate(std::int64_t atNs, std::size_t which = 0)
    {
        end(calibrations, which, atNs, {1, false, 900'000'000, 1'900'000}, {2, true, 1'100'000'000, 2'100'000});
    }

    void disturb(int run)
    {
        db.handle().exec("UPDATE attempts SET flags = '[\"disturbed\"]' WHERE run = " + std::to_string(run));
    }

    /// Of all runs of a configuration.
    void set(const std::string& configuration, const std::string& setting, const std::string& value)
    {
        db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$." + setting + "', '" + value +
                         "') WHERE key = '" + configuration + "'");
    }

    /// That the ranks of this run's attempt speak so.
    void speak(const RunSpec& run, const std::string& transport)
    {
        Facts facts;
        facts.transport = transport;
        must(ingest.drain({store::FactsArrival{run.id, 1, factsToJson(facts)}}));
    }

    std::vector<std::string> off() const { return must(store::disturbances(db, plan.runs[1].id, 1)); }
};

constexpr Canary kAsCalibrated{1, false, 1'000'000'000, 2'000'000};

} // namespace

TEST_CASE("canaries are kept, and those as calibrated disturb nothing")
{
    CalibratedStore store;
    store.calibrate(kStart);
    store.end(store.plan, 1, kStart + 10 * kSecond, kAsCalibrated, kAsCalibrated);
    const auto kept = must(store::canaries(store.db, store.plan.runs[1].id, 1));
    REQUIRE(kept.size() == 4);
    CHECK(kept[0].rank == 0);
    CHECK(kept[0].canary == kAsCalibrated);
    CHECK(kept[1].canary.after);
    CHECK(kept[2].rank == 1);
    CHECK(kept[2].canary.readBytesPerSecond == 0);
    CHECK(store.off().empty());
    CHECK(store.row(1).flags.empty());
}

TEST_CASE("a slow disk before and a slow link after disturb an attempt, in words")
{
    CalibratedStore store;
    store.calibrate(kStart);
    Canary before = kAsCalibrated, after = kAsCalibrated;
    before.readBytesPerSecond = 800'000'000;
    after.allReduceNs = 2'500'000;
    store.end(store.plan, 1, kStart + 10 * kSecond, before, after);
    CHECK(store.row(1).flags == std::vector<std::string>{"disturbed"});
    const auto off = store.off();
    REQUIRE(off.size() == 3); // the link is slow for both ranks
    CHECK(off[0] == "Rank 0: reading was 20 % slower than at the calibration (run 3), before the first iteration.");
    CHECK(off[1] == "Rank 0: all-reduce was 20 % slower than at the calibration (run 3), after the last iteration.");
    CHECK(off[2].starts_with("Rank 1: all-reduce"));
}

TEST_CASE("who is faster was calibrated under load")
{
    CalibratedStore store;
    store.calibrate(kStart);
    Canary fast = kAsCalibrated;
    fast.allReduceNs = 1'000'000;
    store.end(store.plan, 1, kStart + 10 * kSecond, fast, kAsCalibrated);
    REQUIRE(store.off().size() == 2);
    CHECK(store.off()[0] ==
          "Rank 0: all-reduce was 100 % faster than at the calibration (run 3), before the first iteration.");
}

TEST_CASE("only a calibration before the attempt, by as many ranks, is one to be held against")
{
    CalibratedStore store;
    Canary slow = kAsCalibrated;
    slow.allReduceNs = 9'000'000;
    SUBCASE("none") {}
    SUBCASE("a later one")
    {
        store.calibrate(kStart + 100 * kSecond);
    }
    SUBCASE("by other ranks")
    {
        store.calibrate(kStart);
        store.db.handle().exec(
            "UPDATE configurations SET settings = json_set(settings, '$.ranks', 4) WHERE key = 'key-calibration'");
    }
    SUBCASE("by another backend")
    {
        store.calibrate(kStart);
        store.db.handle().exec(
            "UPDATE configurations SET settings = json_set(settings, '$.backend', 'nccl') WHERE key = "
            "'key-calibration'");
    }
    SUBCASE("over another network")
    {
        store.calibrate(kStart);
        store.db.handle().exec(
            "UPDATE configurations SET settings = json_set(settings, '$.interface', 'ib0') WHERE key "
            "= 'key-calibration'");
    }
    SUBCASE("elsewhere")
    {
        store.calibrate(kStart);
        store.db.handle().exec("UPDATE runs SET site = 'alder' WHERE configuration = 'key-calibration'");
    }
    store.end(store.plan, 1, kStart + 10 * kSecond, slow, slow);
    CHECK(store.off().empty());
    CHECK(store.row(1).flags.empty());
}

TEST_CASE("an all-reduce is held against a calibration over the same network alone, reading against any")
{
    CalibratedStore store;
    store.calibrate(kStart);
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
    const Canary slow{1, false, 800'000'000, 9'000'000};
    store.end(store.plan, 1, kStart + 10 * kSecond, slow, slow);
    const auto off = store.off();
    REQUIRE(off.size() == 2);
    CHECK(off[0].find("reading") != std::string::npos);
    CHECK(off[1].find("reading") != std::string::npos);
}

TEST_CASE("settings that say what is the default name the same network")
{
    CalibratedStore store;
    store.calibrate(kStart);
    store.set("key-2", "interface", "any");
    store.set("key-calibration", "backend", "launcher");
    for (const RunSpec& run : {store.calibrations.runs[0], store.plan.runs[1]})
        store.speak(run, "tcp");
    Canary slow = kAsCalibrated;
    slow.allReduceNs = 9'000'000;
    store.end(store.plan, 1, kStart + 10 * kSecond, slow, kAsCalibrated);
    CHECK(store.off().size() == 2); // both ranks
}

TEST_CASE("of several calibrations, the latest says how the disk reads, the latest over a network how that sums")
{
    CalibratedStore store;
    store.set("key-2", "interface", "eth1g");
    store.set("key-calibration-2", "interface", "eth1g");
    store.calibrate(kStart, 1);
    store.calibrate(kStart + 2 * kSecond);
    const Canary slow{1, false, 800'000'000, 2'500'000};
    store.end(store.plan, 1, kStart + 10 * kSecond, slow, kAsCalibrated);
    const auto off = store.off();
    REQUIRE(off.size() == 3);
    CHECK(off[0] == "Rank 0: reading was 20 % slower than at the calibration (run 3), before the first iteration.");
    CHECK(off[1] == "Rank 0: all-reduce was 20 % slower than at the calibration (run 4), before the first iteration.");
    CHECK(off[2].starts_with("Rank 1: all-reduce"));
}

TEST_CASE("a calibration that was disturbed is one to be held against only where there is no other")
{
    CalibratedStore store;
    store.calibrate(kStart, 0);
    store.calibrate(kStart + 2 * kSecond, 1);
    store.disturb(4);
    store.end(store.plan, 1, kStart + 10 * kSecond, {1, false, 800'000'000, 2'000'000}, kAsCalibrated);
    REQUIRE_FALSE(store.off().empty());
    CHECK(store.off().front().find("(run 3)") != std::string::npos);
    store.disturb(3);
    CHECK(store.off().front().find("(run 4)") != std::string::npos);
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
