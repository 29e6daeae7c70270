// SPDX-License-Identifier: MIT
// Follows one campaign: its journal, and the spools, facts and logs of the attempts that the journal names.
// Promise to the app: the line that ends an attempt is sent after everything else of that attempt.
#pragma once

#include "agent/relay/filepoller.h"
#include "agent/relay/journaltail.h"
#include "core/protocol/plan.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>

namespace ringside::relay {

class Follower
{
public:
    /// Says whether a campaign's runner is at work.
    using IsAlive = std::function<bool(const CampaignId&)>;

    /// Fails with notFound if there is no such campaign, and the request brings no plan of it. `isAlive` is asked once
    /// a second.
    static Result<Follower> start(const fs::path& root, const wire::FollowRequest& request, IsAlive isAlive);

    /// Looks at some of the files that may have news, if that is due and the output has room.
    Result<void> poll(std::int64_t nowNs, Output& output);
    /// Returns when the next poll is due, on the monotonic clock.
    std::int64_t dueNs() const { return m_dueNs; }

private:
    Follower(fs::path root, CampaignPlan plan, const wire::FollowRequest& request, IsAlive isAlive);
    FollowedFile name(const fs::path& path, wire::FileKind kind) const;
    FileFollower follow(FollowedFile file) const;
    AttemptFiles filesOf(const AttemptKey& attempt) const;
    void addLeftovers();
    void readJournal(PollBudget& budget);
    bool isTold(const JournalLine& line) const;
    void sort(const JournalEvent& event, bool isTold);
    void begin(const AttemptKey& attempt, bool isTold);
    Result<bool> lookAround(PollBudget& budget);
    Result<bool> lookBack(PollBudget& budget);
    Result<void> sendLines(PollBudget& budget);
    Result<void> sendLine(const JournalLine& line, PollBudget& budget);
    Result<bool> sendBefore(const JournalLine& line, PollBudget& budget);
    Result<bool> sendEnded(const JournalEvent& event, PollBudget& budget);
    Result<void> reportState(std::int64_t nowNs, Output& output);
    void lookAgain();
    void allowLooks(std::int64_t nowNs);
    void schedule(std::int64_t nowNs, const PollBudget& budget, bool isThrough);

    fs::path m_root;
    CampaignPlan m_plan;
    IsAlive m_isAlive;
    std::map<std::string, wire::Cursor> m_cursors; ///< by path
    JournalTail m_journal;
    std::deque<JournalLine> m_lines; ///< read, not sent
    FilePoller m_starting;           ///< attempts whose beginning is in the lines
    FilePoller m_running;            ///< those not known to have ended; under no run, the campaign's own log
    FilePoller m_ended;              ///< those whose end is in the lines
    FilePoller m_ending;             ///< the one whose end is the first of the lines
    FilePoller m_told;               ///< those whose end the app has stored, as long as they are not looked at
    FilePoller m_unfinished; ///< that ended otherwise than done: a rank that outlived its runner may have written on
    bool m_hasLookedBack = true;    ///< at all files of attempts whose end the app has stored
    bool m_isTurnOfRunning = false; ///< they are looked at first
    bool m_caughtUp = false;        ///< every file was seen to its end since we began, or since the runner's death
    std::size_t m_looksLeft;        ///< at files, for now
    std::int64_t m_allowedNs = 0;
    std::int64_t m_dueNs = 0;
    std::int64_t m_newsNs = 0;
    std::chrono::nanoseconds m_pause{0};
    std::int64_t m_aliveDueNs = 0;
    wire::FollowState m_state;
    bool m_reported = false;
};

} // namespace ringside::relay
