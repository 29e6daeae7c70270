// SPDX-License-Identifier: MIT
// Between the words of core/campaign and those of the store, the relay and the commands. Pure, but for the time of day.
#pragma once

#include "core/campaign/campaign.h"
#include "core/conductor/conductor.h"
#include "core/store/rows.h"
#include "core/wire/messages.h"

namespace ringside {

/// A campaign as it was last written down. Nobody is connected yet.
/// `cancelled`: what the site is to be told of it, runs that a later campaign has taken over among them.
campaign::State stateOf(const store::CampaignRow& row, const std::vector<campaign::RunChange>& runs,
                        const std::vector<RunId>& cancelled = {});
campaign::Reported::Standing standingOf(const wire::CampaignStatus& status);
/// What its runs say: "Job 4711: Waits for free nodes. Slurm expects it to start at 17:05." In this computer's time,
/// and in English, for it is stored.
std::string wordsOf(const wire::CampaignStatus& status, std::int64_t nowNs);
wire::ControlAction actionOf(campaign::Control::Kind kind);
campaign::Event eventOf(const ControlRequest& request);

} // namespace ringside
