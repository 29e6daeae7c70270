// SPDX-License-Identifier: MIT
#include "core/stats/phases.h"

#include <algorithm>
#include <numeric>

namespace ringside::stats {
namespace {

constexpr double kNsPerMs = 1e6;

MeanIteration meanOfRank(const RankPhaseSums& rank)
{
    const double divisor = kNsPerMs * rank.iterations;
    MeanIteration mean;
    for (std::size_t i = 0; i < kPhaseCount; ++i)
        mean.phases[i] = static_cast<double>(rank.phases[i]) / divisor;
    mean.communication = static_cast<double>(rank.communicationNs) / divisor;
    mean.read = static_cast<double>(rank.readNs) / divisor;
    mean.decode = static_cast<double>(rank.decodeNs) / divisor;
    mean.told = rank.told;
    keepTold(mean.phases, mean.told);
    return mean;
}

} // namespace

double MeanIteration::length() const
{
    return std::accumulate(phases.begin(), phases.end(), 0.0);
}

double MeanIteration::hiddenCommunication() const
{
    if (!told.has(Phase::commExposed))
        return 0;
    return std::max(0.0, communication - phases[static_cast<std::size_t>(Phase::commExposed)]);
}

MeanIteration meanIteration(const std::vector<RankPhaseSums>& ranks)
{
    std::vector<MeanIteration> means;
    for (const RankPhaseSums& rank : ranks)
        if (rank.iterations > 0)
            means.push_back(meanOfRank(rank));
    return meanOverRuns(means);
}

MeanIteration meanOverRuns(const std::vector<MeanIteration>& runs)
{
    const auto count = static_cast<double>(runs.size());
    MeanIteration mean;
    for (const MeanIteration& run : runs) {
        for (std::size_t i = 0; i < kPhaseCount; ++i)
            mean.phases[i] += run.phases[i] / count;
        mean.communication += run.communication / count;
        mean.read += run.read / count;
        mean.decode += run.decode / count;
        mean.told = mean.told & run.told;
    }
    keepTold(mean.phases, mean.told);
    return mean;
}

} // namespace ringside::stats
