// SPDX-License-Identifier: MIT
#include "core/stats/timeleft.h"

#include "core/stats/quantile.h"

#include <algorithm>
#include <map>

namespace ringside::stats {

namespace {

double secondsBetween(std::int64_t fromNs, std::int64_t toNs)
{
    return static_cast<double>(std::max<std::int64_t>(0, toNs - fromNs)) / 1e9;
}

std::map<std::string, double> typicalLengths(const std::vector<PastRun>& past)
{
    std::map<std::string, std::vector<double>> lengths;
    for (const PastRun& run : past)
        lengths[run.configuration].push_back(secondsBetween(run.startNs, run.endNs));
    std::map<std::string, double> typical;
    for (auto& [configuration, seconds] : lengths)
        typical[configuration] = median(std::move(seconds));
    return typical;
}

std::vector<PastRun> byStart(std::vector<PastRun> past)
{
    std::ranges::sort(past, {}, &PastRun::startNs);
    return past;
}

/// Between a run's end and the next one's start.
double typicalGap(const std::vector<PastRun>& past)
{
    std::map<std::string, std::int64_t> ends;
    std::vector<double> gaps;
    for (const PastRun& run : past) {
        const auto [end, isFirst] = ends.try_emplace(run.campaign, run.endNs);
        if (!isFirst)
            gaps.push_back(secondsBetween(end->second, run.startNs));
        end->second = run.endNs;
    }
    return gaps.empty() ? 0 : median(std::move(gaps));
}

double runsAtOnce(const std::vector<PastRun>& past)
{
    double busy = 0, work = 0;
    std::int64_t untilNs = past.front().startNs;
    for (const PastRun& run : past) {
        work += secondsBetween(run.startNs, run.endNs);
        busy += secondsBetween(std::max(untilNs, run.startNs), run.endNs);
        untilNs = std::max(untilNs, run.endNs);
    }
    return busy > 0 ? work / busy : 1;
}

} // namespace

std::optional<double> secondsLeft(const std::vector<PastRun>& past, const std::vector<RunToDo>& toDo)
{
    if (past.empty())
        return std::nullopt;
    const std::vector<PastRun> ordered = byStart(past);
    const auto typical = typicalLengths(ordered);
    std::vector<double> medians;
    for (const auto& [configuration, seconds] : typical)
        medians.push_back(seconds);
    const double gap = typicalGap(ordered), other = mean(medians);
    std::map<std::string, double> campaigns;
    double work = 0, longest = 0;
    for (const RunToDo& run : toDo) {
        const auto found = typical.find(run.configuration);
        const double length = found == typical.end() ? other : found->second;
        const double left = run.elapsedSeconds > 0 ? std::max(0.0, length - run.elapsedSeconds) : length + gap;
        work += left;
        longest = std::max(longest, campaigns[run.campaign] += left);
    }
    return std::max(work / runsAtOnce(ordered), longest);
}

} // namespace ringside::stats
