// SPDX-License-Identifier: MIT
// Follows one campaign: its journal, and the spools, facts and logs of the attempts that the journal names.
// Promise to the app: the line that ends an attempt is sent after everything else of that attempt.
#pragma once

#include "agent/relay/filefollower.h"
#include "agent/relay/journaltail.h"
#include "agent/relay/output.h"
#include "core/protocol/plan.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace ringside::relay {

class Follower
{
public:
    /// Says whether a campaign's runner is at work.
    using IsAlive = std::function<bool(const CampaignId&)>;

    /// Fails with notFound if there is no such campaign. `isAlive` is asked once a second.
    static Result<Follower> start(const fs::path& root, const wire::FollowRequest& request, IsAlive isAlive);

    /// One pass over the files that may have news, if it is due and the output has room.
    Result<void> turn(std::int64_t nowNs, Output& output);
    /// When the next pass is due, on the monotonic clock.
    std::int64_t dueNs() const { return m_dueNs; }

private:
    using AttemptKey = std::pair<RunId, int>;
    using Files = std::vector<FileFollower>;
    using Attempts = std::map<AttemptKey, Files>;

    Follower(fs::path root, CampaignPlan plan, const wire::FollowRequest& request, IsAlive isAlive);
    FollowedFile name(const fs::path& path, wire::FileKind kind) const;
    FileFollower follow(FollowedFile file) const;
    Files filesOf(const AttemptKey& attempt) const;
    void readJournal();
    Result<void> sendLines(Output& output);
    Result<void> sendLine(const JournalLine& line, Output& output);
    Result<bool> sendBefore(const JournalLine& line, Output& output);
    Result<bool> sendEnded(const JournalEvent& event, Output& output);
    Result<bool> sendFiles(Files& files, Output& output);
    Result<bool> sendAll(Attempts& attempts, Output& output);
    Result<void> reportState(bool caughtUp, std::int64_t nowNs, Output& output);
    void schedule(std::int64_t nowNs);

    fs::path m_root;
    CampaignPlan m_plan;
    IsAlive m_isAlive;
    std::map<std::string, wire::Cursor> m_cursors; ///< by path
    JournalTail m_journal;
    std::deque<JournalLine> m_lines; ///< read, not sent
    Attempts m_attempts;             ///< not known to have ended
    Attempts m_unfinished;   ///< that ended otherwise than done: a rank that outlived its runner may have written on
    std::size_t m_looks = 0; ///< at files, in this pass
    bool m_news = false;     ///< in this pass
    std::int64_t m_dueNs = 0;
    std::int64_t m_newsNs = 0;
    std::chrono::nanoseconds m_pause{0};
    std::int64_t m_aliveDueNs = 0;
    wire::FollowState m_state;
    bool m_reported = false;
};

} // namespace ringside::relay
