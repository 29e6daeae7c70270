// SPDX-License-Identifier: MIT
#include "tests/store/storefixture.h"

#include "core/protocol/layout.h"
#include "tests/support/addcampaign.h"

namespace ringside::test {

namespace {

RunSpec spec(const std::string& key, int ranks)
{
    RunSpec run;
    run.id = RunId::random();
    run.configurationKey = key;
    run.settings = Settings{{"model", std::string("lenet")},
                            {"ranks", std::int64_t{ranks}},
                            {"plan", std::string("one")},
                            {"site", std::string("local")},
                            {"batch_per_rank", std::int64_t{4}}};
    run.iterations = 10;
    run.warmup = 2;
    run.seed = 7;
    return run;
}

} // namespace

StoreFixture::StoreFixture()
{
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = "first-light";
    plan.site = "local";
    plan.worker = "/bin/worker";
    plan.runs = {spec("key-1", 1), spec("key-2", 2)};
    store::ExperimentEdit edit{"first-light", "What does it bring?", "local", 1, "format = 1\n", {}};
    for (const RunSpec& run : plan.runs)
        edit.cells.push_back({run.configurationKey, run.settings, run.plan});
    must(store::saveExperiment(db, edit));
    must(test::addCampaign(db, plan));
}

store::SpoolArrival StoreFixture::samples(int run, int rank, std::uint32_t from, std::uint32_t to,
                                          std::uint64_t offset) const
{
    store::SpoolArrival arrival;
    arrival.campaign = plan.campaign;
    arrival.run = plan.runs.at(static_cast<std::size_t>(run)).id;
    arrival.rank = rank;
    arrival.cursor = {layout::spoolFile("runs/" + arrival.run.str() + "/attempt-1", rank).string(), "file", offset};
    if (from == 0)
        arrival.header = SpoolHeader{
            FileId::random(), arrival.run, 1, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(run + 1),
            "alder",          10,          2};
    for (std::uint32_t seq = from; seq < to; ++seq) {
        Sample sample;
        sample.seq = seq;
        sample.startNs = 1'000'000'000 + std::int64_t{seq} * 10'000'000;
        sample.phases = {1'000'000, 0, 4'000'000, 5'000'000, 0, 0, 0};
        sample.items = 4;
        sample.loss = 1.0f;
        arrival.records.emplace_back(sample);
    }
    return arrival;
}

campaign::RunChange StoreFixture::change(int run, int attempt, RunState state, std::int64_t atNs, Cause cause) const
{
    return {plan.runs.at(static_cast<std::size_t>(run)).id, attempt, state, cause, {}, std::nullopt, atNs};
}

std::int64_t StoreFixture::count(const std::string& table) const
{
    return db.handle().execAndGet("SELECT count(*) FROM " + table).getInt64();
}

} // namespace ringside::test
