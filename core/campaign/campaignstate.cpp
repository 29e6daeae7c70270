// SPDX-License-Identifier: MIT
#include "core/campaign/campaignstate.h"

#include <algorithm>
#include <array>

namespace ringside::campaign {

namespace {
constexpr std::array<std::string_view, 4> kNames = {"waiting", "submitting", "submitted", "ended"};
} // namespace

std::string_view nameOf(CampaignState state)
{
    return kNames[static_cast<std::size_t>(state)];
}

std::optional<CampaignState> campaignStateFromName(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<CampaignState>(found - kNames.begin());
}

} // namespace ringside::campaign
