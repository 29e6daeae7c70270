// SPDX-License-Identifier: MIT
#include "core/spec/scaling.h"

#include "core/spec/basecase.h"
#include "core/spec/resolve.h"

#include <map>
#include <set>
#include <utility>

namespace ringside::spec {

namespace {

/// What is held: the global batch, or that of each rank.
using Held = std::pair<bool, std::int64_t>;

Held heldBy(const Settings& settings)
{
    const auto global = integerOf(settings, "batch_global");
    return {global.has_value(), global ? *global : integerOf(settings, "batch_per_rank").value_or(0)};
}

} // namespace

std::string_view nameOf(Scaling scaling)
{
    constexpr std::string_view kNames[] = {"none", "weak", "strong", "mixed"};
    return kNames[static_cast<std::size_t>(scaling)];
}

Scaling scalingOf(const std::vector<const Settings*>& configurations, const std::vector<Factor>& factors)
{
    std::set<std::int64_t> ranks;
    std::map<Settings, std::set<Held>> lines;
    for (const Settings* settings : configurations) {
        ranks.insert(ranksOf(*settings));
        lines[lineOf(*settings, factors)].insert(heldBy(*settings));
    }
    if (ranks.size() < 2)
        return Scaling::none;
    std::set<bool> isStrong;
    for (const auto& [line, held] : lines) {
        if (held.size() > 1)
            return Scaling::mixed;
        isStrong.insert(held.begin()->first);
    }
    return isStrong.size() > 1 ? Scaling::mixed : *isStrong.begin() ? Scaling::strong : Scaling::weak;
}

} // namespace ringside::spec
