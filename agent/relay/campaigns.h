// SPDX-License-Identifier: MIT
// Campaigns as folders below the root: storing, querying, steering. No state but the queues' last answers and the set
// of campaigns that are over.
#pragma once

#include "agent/relay/queue.h"
#include "agent/relay/relay.h"
#include "agent/relay/startrunner.h"
#include "core/wire/messages.h"

#include <map>
#include <vector>

namespace ringside::relay {

class Campaigns
{
public:
    /// The queues are asked by others; their last answers are used here. It must outlive this.
    Campaigns(const RelayOptions& options, const Queues& queues)
        : m_options(options)
        , m_queues(queues)
    {
    }

    fs::path folder(const CampaignId& campaign) const;
    /// Idempotent: plan, script and the scheduler's name are stored once. Handing over comes next (handover.h).
    Result<void> keep(const wire::SubmitRequest& request) const;

    /// Fails where the files of one of them cannot be read: nothing is known of it then.
    Result<wire::StatusReply> status(const wire::StatusRequest& request) const;
    /// Leaves word for the runner. Without one, handing over records what was asked.
    Result<void> control(const wire::ControlRequest& request) const;

    /// True if a runner is at work on it.
    bool isAlive(const CampaignId& campaign) const;
    /// True if it is known not to be over.
    bool isOpen(const CampaignId& campaign) const;
    /// Those of them (of all, for an empty list) that went through a scheduler and are not over, each with that.
    std::map<CampaignId, const jobs::Scheduler*> queued(const std::vector<CampaignId>& campaigns) const;
    /// The scheduler through which it went; nullptr without one.
    const jobs::Scheduler* schedulerOf(const CampaignId& campaign) const;

private:
    Result<wire::CampaignStatus> statusOf(const CampaignId& campaign) const;
    wire::CampaignStatus statusOf(const CampaignId& campaign, const RunnerState& state,
                                  const jobs::Submitter& submitter) const;
    wire::CampaignStatus queuedStatus(const CampaignId& campaign, const RunnerState& state,
                                      const jobs::Submitter& submitter) const;
    wire::CampaignStatus silentStatus(const CampaignId& campaign, const RunnerState& state,
                                      const jobs::Scheduler& scheduler) const;
    std::vector<CampaignId> all() const;
    Result<RunnerState> stateOf(const CampaignId& campaign) const;

    RelayOptions m_options;
    const Queues& m_queues;
    /// A finished campaign does not change: its journal, one of many, is read once.
    mutable std::map<CampaignId, RunnerState> m_ended;
};

} // namespace ringside::relay
