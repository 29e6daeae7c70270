// SPDX-License-Identifier: MIT
#include "core/spec/scaling.h"

#include "core/spec/basecase.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <map>
#include <set>

namespace ringside::spec {

namespace {

/// Returns what is held: the global batch, or that of each rank, and what an item of it is.
Settings heldBy(const Settings& settings)
{
    Settings held;
    const auto keep = [&](const char* key) {
        if (const auto level = settings.find(key); level != settings.end())
            held.insert(*level);
        else if (const auto standard = standardOf(*findSetting(key), settings)) // older runs lack what was added since
            held.emplace(key, *standard);
    };
    keep(settings.contains("batch_global") ? "batch_global" : "batch_per_rank");
    std::ranges::for_each(kWorkKeys, keep);
    return held;
}

} // namespace

Scaling scalingOf(const std::vector<const Settings*>& configurations, const std::vector<Factor>& factors)
{
    std::set<std::int64_t> ranks;
    std::map<Settings, std::set<Settings>> lines;
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
        isStrong.insert(held.begin()->contains("batch_global"));
    }
    return isStrong.size() > 1 ? Scaling::mixed : *isStrong.begin() ? Scaling::strong : Scaling::weak;
}

} // namespace ringside::spec
