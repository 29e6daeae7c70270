// SPDX-License-Identifier: MIT
#include "core/campaign/missing.h"

#include <map>

namespace ringside::campaign {

bool isMissing(const KnownRun& run, bool retryFailed)
{
    if (run.inCampaign || run.state == RunState::done)
        return false;
    return run.state != RunState::failed || retryFailed || isFromOutside(run.cause);
}

std::vector<MissingRun> missingRuns(const std::vector<WantedRun>& wanted, const std::vector<KnownRun>& stored,
                                    bool retryFailed)
{
    std::map<std::pair<std::string, int>, const KnownRun*> known;
    for (const KnownRun& run : stored)
        known[{run.configurationKey, run.repeat}] = &run;
    std::vector<MissingRun> missing;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto found = known.find({wanted[i].configurationKey, wanted[i].repeat});
        if (found == known.end())
            missing.push_back({i, std::nullopt});
        else if (isMissing(*found->second, retryFailed))
            missing.push_back({i, found->second->id});
    }
    return missing;
}

std::uint64_t seedOf(std::uint64_t experimentSeed, int repeat)
{
    std::uint64_t z = experimentSeed + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(repeat);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) >> 1;
}

} // namespace ringside::campaign
