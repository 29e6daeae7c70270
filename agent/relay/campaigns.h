// SPDX-License-Identifier: MIT
// Campaigns as folders below the root: submitting, asking, steering, deleting. No state in memory.
#pragma once

#include "agent/relay/relay.h"
#include "core/wire/messages.h"

#include <vector>

namespace ringside::relay {

class Campaigns
{
public:
    explicit Campaigns(const RelayOptions& options)
        : m_options(options)
    {
    }

    /// Idempotent: plan and script are kept once, a living runner is left alone, a campaign that is over stays so.
    /// One whose runner is provably dead gets a successor. Blocking until the runner holds its lease, at most 10 s.
    Result<wire::SubmitReply> submit(const wire::SubmitRequest& request) const;

    wire::StatusReply status(const wire::StatusRequest& request) const;
    Result<wire::ControlReply> control(const wire::ControlRequest& request) const;
    /// Refuses a campaign that still runs; the others before it in the list are deleted then.
    Result<wire::DeleteReply> remove(const wire::DeleteRequest& request) const;

private:
    fs::path folder(const CampaignId& campaign) const;
    Result<void> keep(const wire::SubmitRequest& request) const;
    wire::CampaignStatus statusOf(const CampaignId& campaign) const;
    std::vector<CampaignId> all() const;

    RelayOptions m_options;
};

} // namespace ringside::relay
