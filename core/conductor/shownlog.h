// SPDX-License-Identifier: MIT
// The log that is shown: of one run, whose campaign may have ended.
#pragma once

#include "core/conductor/relayrequests.h"

namespace ringside {

/// Used on its site's thread only.
class ShownLog
{
public:
    /// Both outlive it.
    ShownLog(RelayRequests& requests, Sink& sink);

    /// Shows this log in place of the one before; an empty run: none.
    void show(const RunId& run, const CampaignId& campaign);
    /// Reads the logs of its campaign, which is not watched any more. Completed once all that is there was shown.
    void followEnded(Completion<> done);

    const RunId& run() const { return m_run; }
    bool needsContact() const { return m_files || !m_run.empty(); }
    /// The files of an ended campaign whose logs are read; null for others.
    CampaignFiles* filesOf(const CampaignId& campaign);
    /// The output of the campaign's job is part of the log of each of its runs.
    void add(const CampaignId& campaign, const ChunkContent& content);
    void onCaughtUp(const wire::FollowState& follow);
    /// A watched campaign is followed again with the next contact, and its logs from where they had come to.
    void onDisconnected(bool isWatched);

private:
    RelayRequests& m_requests;
    Sink& m_sink;
    RunId m_run;
    CampaignId m_campaign;
    std::optional<CampaignFiles> m_files; ///< of an ended campaign
    std::uint32_t m_follow = 0;           ///< request of the latest Follow for these
};

} // namespace ringside
