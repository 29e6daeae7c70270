// SPDX-License-Identifier: MIT
// Finds the runs of an experiment that are still to be done.
#pragma once

#include "core/base/ids.h"
#include "core/protocol/states.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringside::campaign {

/// A run that the experiment's matrix asks for.
struct WantedRun
{
    std::string configurationKey;
    int repeat = 1;
};

/// A run that the store has, of the same experiment.
struct KnownRun
{
    RunId id;
    std::string configurationKey;
    int repeat = 1;
    RunState state = RunState::queued;
    Cause cause = Cause::none;
    bool inCampaign = false; ///< a campaign that has not ended will do it or is at it
};

struct MissingRun
{
    std::size_t wanted = 0;     ///< index of the wanted run
    std::optional<RunId> known; ///< its id where the store has it already
    bool operator==(const MissingRun&) const = default;
};

/// True for a run that has to be started again to have a result: never done, cancelled, lost from outside, or (only
/// with `retryFailed`) failed of its own.
bool isMissing(const KnownRun& run, bool retryFailed);

/// In the order of `wanted`. Pure.
std::vector<MissingRun> missingRuns(const std::vector<WantedRun>& wanted, const std::vector<KnownRun>& stored,
                                    bool retryFailed);

/// The seed of a run: it follows from the experiment's seed and the repeat alone, so that the same repeat of two
/// configurations starts from the same weights and data order. Below 2^63. SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t seedOf(std::uint64_t experimentSeed, int repeat);

} // namespace ringside::campaign
