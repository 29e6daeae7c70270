// SPDX-License-Identifier: MIT
// Campaigns as folders below the root: keeping, asking, steering. No state but what the queue last said.
#pragma once

#include "agent/relay/queue.h"
#include "agent/relay/relay.h"
#include "agent/relay/starter.h"
#include "core/wire/messages.h"

#include <vector>

namespace ringside::relay {

class Campaigns
{
public:
    /// The queue is asked by others; what it last said is used here. It must outlive this.
    Campaigns(const RelayOptions& options, const Queue& queue)
        : m_options(options)
        , m_queue(queue)
    {
    }

    fs::path folder(const CampaignId& campaign) const;
    /// Idempotent: plan, script and the scheduler's name are kept once. Handing over comes next (handover.h).
    Result<void> keep(const wire::SubmitRequest& request) const;

    wire::StatusReply status(const wire::StatusRequest& request) const;
    /// Leaves word for the runner. Without one, handing over records what was asked.
    Result<void> control(const wire::ControlRequest& request) const;

    /// Whether a runner is at work on it.
    bool isAlive(const CampaignId& campaign) const;
    /// Those of them (of all, for an empty list) that went through a scheduler and are not over.
    std::vector<CampaignId> queued(const std::vector<CampaignId>& campaigns) const;

private:
    wire::CampaignStatus statusOf(const CampaignId& campaign) const;
    wire::CampaignStatus queuedStatus(const CampaignId& campaign, const RunnerState& state) const;
    wire::CampaignStatus silentStatus(const CampaignId& campaign, const RunnerState& state) const;
    std::int64_t lastKnownNs(const CampaignId& campaign, const RunnerState& state) const;
    std::vector<CampaignId> all() const;

    RelayOptions m_options;
    const Queue& m_queue;
};

} // namespace ringside::relay
