// SPDX-License-Identifier: MIT
// Turns the records of a run into samples that a store holds. Pure.
#pragma once

#include "core/logs/figure.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::imports {

struct RankSamples
{
    int rank = 0;
    std::vector<Sample> samples = {};
    std::vector<std::uint64_t> lines = {}; ///< of each of them, in the file of its rank
};

struct RunSamples
{
    std::int64_t worldSize = 1;
    std::vector<RankSamples> ranks = {}; ///< those that printed; of lines about all of them one
    std::uint32_t warmup = 0;            ///< iterations
    std::uint32_t iterations = 0;        ///< of the rank with most, warm-up included
};

/// A record is one sample, whatever it covers. Fewer than figure.ranks ranks may have printed: each speaks for the
/// others, too, who did as much in the same time. Only call it if that is known.
RunSamples samplesOf(const logs::LogRun& run, const logs::LogFigure& figure, int warmupRecords);

/// Items per second behind the warm-up, as the store will compute it; nothing where nothing is measured behind it.
std::optional<double> rateOf(const RunSamples& samples);

} // namespace ringside::imports
