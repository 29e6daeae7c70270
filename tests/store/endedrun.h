// SPDX-License-Identifier: MIT
// Runs whose end is in the store, with their summaries and flags.
#pragma once

#include "core/base/text.h"
#include "core/store/flagreasons.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"

namespace ringside::test {

struct EndedRun : StoreFixture
{
    store::Ingest ingest = must(store::Ingest::create(db));

    /// A run of 80 ms is short and, without telemetry, not observed: the flags beside those.
    std::vector<std::string> flags(int run) const
    {
        std::vector<std::string> flags = row(run).flags;
        std::erase_if(flags, [](const std::string& flag) { return flag == "short" || flag == "unobserved"; });
        return flags;
    }

    /// "code rank value" of each reason of such a flag.
    std::vector<std::string> reasons(int run, std::string_view flag) const
    {
        std::vector<std::string> texts;
        for (const auto& reason : must(store::flagReasons(db, row(run).id, 1)))
            if (reason.flag == flag)
                texts.push_back(
                    fmt::format("{} {} {:.2f}", reason.code, reason.rank.value_or(-1), reason.value.value_or(-1)));
        return texts;
    }

    bool isIncomplete(int number) const { return std::ranges::count(row(number).flags, "incomplete") > 0; }

    /// Both ranks of run 1 with all of its ten iterations; the second rank is 1 ms slower in each.
    void fill(std::uint32_t iterations = 10)
    {
        for (int rank : {0, 1}) {
            store::SpoolArrival arrival = samples(1, rank, 0, iterations, 900);
            for (Record& record : arrival.records)
                std::get<Sample>(record).phases[2] += rank * 1'000'000;
            arrival.records.emplace_back(End{iterations, 0, 0});
            must(ingest.drain({arrival}));
        }
        must(ingest.drain(
            {change(1, 1, RunState::starting, kStart), change(1, 1, RunState::done, kStart + 1'000'000'000)}));
        REQUIRE(must(store::refreshSummaries(db)).size() == 1);
    }
};

/// Run 0 with one rank and 40 iterations of a second each: warm-up of 2 s, measured from 3 s to 41 s on its clock.
struct LongRun : EndedRun
{
    store::SpoolArrival arrival = samples(0, 0, 0, 0, 900);

    LongRun()
    {
        arrival.header->host = "n7";
        db.handle().exec("UPDATE runs SET iterations = 40");
        for (std::uint32_t seq = 0; seq < 40; ++seq) {
            Sample sample;
            sample.seq = seq;
            sample.startNs = (1 + std::int64_t{seq}) * kSecond;
            sample.phases[2] = kSecond;
            sample.items = 4;
            arrival.records.emplace_back(sample);
        }
    }

    static constexpr std::int64_t kSecond = 1'000'000'000;

    /// A reading of the second that ends at `second`.
    void read(int second, float host, float cores = Telemetry::kNotTold)
    {
        Telemetry telemetry;
        telemetry.atNs = second * kSecond;
        telemetry.foreignCpuShare = host;
        telemetry.foreignCoresShare = cores;
        arrival.records.emplace_back(telemetry);
    }
    void readGpu(int second, std::uint32_t others, std::uint64_t clockReasons = 0)
    {
        GpuTelemetry gpu;
        gpu.atNs = second * kSecond;
        gpu.foreignProcesses = others;
        gpu.clockReasons = clockReasons;
        arrival.records.emplace_back(gpu);
    }
    /// A reading of what the rank used of its cores, in the second that ends at `second`.
    void readOwn(int second, float cores)
    {
        Telemetry telemetry;
        telemetry.atNs = second * kSecond;
        telemetry.ownCoresShare = cores;
        arrival.records.emplace_back(telemetry);
    }
    store::RankSummary summary() const { return must(store::measuredRuns(db, "first-light")).at(0).ranks.at(0); }
    std::vector<std::string> end()
    {
        arrival.records.emplace_back(End{40, 0, 0});
        must(ingest.drain(
            {arrival, change(0, 1, RunState::starting, kStart), change(0, 1, RunState::done, kStart + 50 * kSecond)}));
        must(store::refreshSummaries(db));
        return row(0).flags;
    }
};

} // namespace ringside::test
