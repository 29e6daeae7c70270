// SPDX-License-Identifier: MIT
#include "core/imports/ranksamples.h"

#include "core/base/sequences.h"
#include "core/logs/recordsamples.h"
#include "core/protocol/plausible.h"
#include "core/stats/throughput.h"

#include <algorithm>
#include <limits>

namespace ringside::imports {

namespace {

/// Adds the work and the time that the figure was reckoned with, where the line itself does not state them.
logs::LogRecord completed(const logs::Work& work)
{
    logs::LogRecord record = *work.record;
    record.iterations = work.iterations;
    record.items = work.items;
    record.seconds = work.seconds;
    return record;
}

/// So that they speak for so many times as many ranks. Returns whether their items are a plausible number.
bool widen(Sample& sample, std::uint32_t factor)
{
    if (sample.items > kMaxItems / factor)
        return false;
    sample.items *= factor;
    sample.ofRanks *= factor;
    return true;
}

/// One behind the other: what was left out between two records leaves no gap.
RankSamples samplesOf(const logs::LaneWork& lane, int rank, std::uint32_t factor, const logs::KnownOfRun& known,
                      std::uint32_t& warmup)
{
    RankSamples made{.rank = rank};
    logs::RecordSamples samples(known);
    std::int64_t now = 0;
    for (const logs::Work& work : lane.works) {
        auto sample = samples.next(completed(work), lane.lane->scope, lane.lane->phasesOf(*work.record));
        if (!sample || !widen(*sample, factor))
            continue;
        sample->startNs = now;
        now = sample->endNs();
        if (work.isWarmup)
            warmup = std::max(warmup, sample->seq + 1);
        made.samples.push_back(*sample);
        made.lines.push_back(work.record->line);
    }
    return made;
}

/// As they were printed, where all are and differ.
std::vector<int> ranksOf(const std::vector<logs::LaneWork>& lanes)
{
    std::vector<int> ranks;
    for (const logs::LaneWork& lane : lanes)
        if (lane.lane->rank && *lane.lane->rank >= 0 && !contains(ranks, *lane.lane->rank))
            ranks.push_back(*lane.lane->rank);
    if (ranks.size() == lanes.size())
        return ranks;
    ranks.clear();
    for (std::size_t rank = 0; rank < lanes.size(); ++rank)
        ranks.push_back(static_cast<int>(rank));
    return ranks;
}

/// Returns how many iterations an earlier run had made where this one goes on: those before its first record that are
/// more than a step to the next.
std::uint32_t earlierIterations(const RankSamples& rank)
{
    if (rank.samples.empty())
        return 0;
    const Sample& first = rank.samples.front();
    const std::uint32_t step = rank.samples.size() > 1 ? rank.samples[1].seq - first.seq : first.iterations;
    const std::uint32_t own = std::max(step, first.iterations), all = first.seq + 1;
    return all >= 2 * own ? all - own : 0;
}

/// Counts from the beginning of what the log shows.
void leaveOutEarlier(RunSamples& samples)
{
    std::uint32_t earlier = std::numeric_limits<std::uint32_t>::max();
    for (const RankSamples& rank : samples.ranks)
        earlier = std::min(earlier, earlierIterations(rank));
    for (RankSamples& rank : samples.ranks)
        for (Sample& sample : rank.samples)
            sample.seq -= earlier;
    samples.iterations -= std::min(samples.iterations, earlier);
    samples.warmup -= std::min(samples.warmup, earlier);
}

} // namespace

RunSamples samplesOf(const logs::LogRun& run, const logs::LogFigure& figure, int warmupRecords)
{
    auto lanes = logs::workOf(run, figure, warmupRecords);
    std::erase_if(lanes, [](const logs::LaneWork& lane) { return lane.works.empty(); });
    const auto count = static_cast<std::int64_t>(lanes.size());
    RunSamples samples{.worldSize = std::max<std::int64_t>({figure.ranks, count, 1})};
    if (lanes.empty())
        return samples;
    logs::KnownOfRun known;
    known.ranks = static_cast<std::uint32_t>(std::min<std::int64_t>(samples.worldSize, kMaxOfRanks));
    const std::int64_t nodes = std::max<std::int64_t>(run.settings.nodes.value_or(count), 1);
    known.ranksPerNode =
        std::max(known.ranks / static_cast<std::uint32_t>(std::min<std::int64_t>(nodes, known.ranks)), 1u);
    const std::int64_t parts = figure.scope == logs::Scope::all    ? count
                               : figure.scope == logs::Scope::node ? nodes
                                                                   : samples.worldSize;
    const auto factor =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>((parts + count - 1) / count, 1, kMaxOfRanks));
    const std::vector<int> ranks = ranksOf(lanes);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        samples.ranks.push_back(samplesOf(lanes[lane], ranks[lane], factor, known, samples.warmup));
        for (const Sample& sample : samples.ranks.back().samples)
            samples.iterations = std::max(samples.iterations, sample.seq + 1);
    }
    leaveOutEarlier(samples);
    return samples;
}

std::optional<double> rateOf(const RunSamples& samples)
{
    std::vector<stats::RankWork> work;
    for (const RankSamples& rank : samples.ranks) {
        stats::RankWork sum{.isInParts = true};
        for (const Sample& sample : rank.samples)
            if (sample.firstSeq() >= samples.warmup) {
                sum.items += sample.items;
                sum.lengthNs += sample.lengthNs();
                sum.ofRanks = std::max(sum.ofRanks, sample.ofRanks);
            }
        if (sum.lengthNs > 0)
            work.push_back(sum);
    }
    return stats::runThroughput(work, samples.worldSize);
}

} // namespace ringside::imports
