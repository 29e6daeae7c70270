// SPDX-License-Identifier: MIT
// How far a campaign has come. The order is that of its life; no state is entered twice, but `submitting` may be
// repeated.
#pragma once

#include <optional>
#include <string_view>

namespace ringside::campaign {

enum class CampaignState
{
    waiting,    ///< planned; this site runs another one first
    submitting, ///< from before the first byte is sent until the site has answered; may have arrived or not
    submitted,  ///< the site has it
    ended,      ///< its runner has ended for good, and all that it left has been read
};

std::string_view nameOf(CampaignState state);
std::optional<CampaignState> campaignStateFromName(std::string_view name);

} // namespace ringside::campaign
