// SPDX-License-Identifier: MIT
#include "agent/relay/follower.h"

#include "agent/runner/rankexit.h"
#include "core/base/files.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <unistd.h>

namespace ringside::relay {

namespace {

using namespace std::chrono_literals;

/// Between two rounds while there is news: it looks live.
constexpr std::chrono::nanoseconds kBusyPause = 100ms;
/// News counts as recent for so long; longer than the 2 s between two heartbeats, so that a living attempt stays live.
constexpr std::chrono::nanoseconds kRecent = 3s;
/// Without news the pause doubles up to this.
constexpr std::chrono::nanoseconds kIdlePause = 5s;
/// A file server is not asked more often than 200 times a second, whatever the number of ranks …
constexpr std::chrono::nanoseconds kPerLook = 5ms;
/// … but for what was saved up: runs that ended without a follower are sent at once.
constexpr std::size_t kMostLooks = 2'000;
/// The period of tests whether the runner lives.
constexpr std::chrono::nanoseconds kAlivePause = 1s;

/// Without it nothing of the campaign is known: what cannot be read is reported, not waited for. It may not be there
/// yet.
Result<void> checkJournal(const fs::path& journal)
{
    const auto opened = openRegularFile(journal);
    if (!opened)
        return opened.error().code == ErrorCode::notFound ? Result<void>() : tl::unexpected(opened.error());
    if (isHole(opened->get(), 0))
        return fail(ErrorCode::damaged, fmt::format("{} holds nothing but a hole.", journal.string()),
                    "Something else has put it there. Move it away.");
    return {};
}

std::map<std::string, wire::Cursor> byPath(const std::vector<wire::Cursor>& cursors)
{
    std::map<std::string, wire::Cursor> result;
    for (const auto& cursor : cursors)
        result[cursor.path] = cursor;
    return result;
}

/// As the site has it; where that is gone, as the app does.
Result<CampaignPlan> planFor(const fs::path& campaign, const wire::FollowRequest& request)
{
    const auto kept = readRegularFile(layout::planFile(campaign), kMaxPlanBytes);
    if (!kept && (kept.error().code != ErrorCode::notFound || request.plan.empty()))
        return tl::unexpected(kept.error());
    return planFromJson(kept ? *kept : request.plan);
}

} // namespace

Result<Follower> Follower::start(const fs::path& root, const wire::FollowRequest& request, IsAlive isAlive)
{
    if (request.campaign.empty())
        return fail(ErrorCode::usage, "The campaign to follow is not named.");
    const fs::path campaign = layout::campaignFolder(root, request.campaign);
    TRY_ASSIGN(CampaignPlan plan, planFor(campaign, request));
    TRY(checkJournal(layout::journalFile(campaign)));
    if (plan.campaign != request.campaign)
        return fail(ErrorCode::damaged, fmt::format("{} holds the plan of another campaign.", campaign.string()));
    return Follower(root, std::move(plan), request, std::move(isAlive));
}

Follower::Follower(fs::path root, CampaignPlan plan, const wire::FollowRequest& request, IsAlive isAlive)
    : m_root(std::move(root))
    , m_plan(std::move(plan))
    , m_isAlive(std::move(isAlive))
    , m_cursors(byPath(request.cursors))
    , m_journal(name(layout::journalFile(layout::campaignFolder(m_root, m_plan.campaign)), wire::FileKind::journal))
    , m_looksLeft(kMostLooks)
{
    m_state.requestId = request.requestId;
    m_state.campaign = m_plan.campaign;
    // The output of the job itself, as before any attempt; it goes on as long as the campaign does.
    const fs::path said = layout::runnerLog(layout::campaignFolder(m_root, m_plan.campaign));
    m_running.add({}, {follow(name(said, wire::FileKind::log))});
    if (!request.plan.empty())
        addLeftovers();
}

/// Attempts that no journal names any more: those after the ones that were known when the campaign was planned.
void Follower::addLeftovers()
{
    for (const RunSpec& run : m_plan.runs)
        for (int attempt = run.attempts + 1; isThere(layout::attemptFolder(m_root, run.id, attempt)); ++attempt)
            m_running.add({run.id, attempt}, filesOf({run.id, attempt}));
}

FollowedFile Follower::name(const fs::path& path, wire::FileKind kind) const
{
    FollowedFile file;
    file.absolute = path;
    file.path = path.lexically_relative(m_root).string();
    file.campaign = m_plan.campaign;
    file.kind = kind;
    return file;
}

FileFollower Follower::follow(FollowedFile file) const
{
    const auto cursor = m_cursors.find(file.path);
    return {std::move(file), cursor == m_cursors.end() ? std::nullopt : std::optional(cursor->second)};
}

AttemptFiles Follower::filesOf(const AttemptKey& attempt) const
{
    const fs::path folder = layout::attemptFolder(m_root, attempt.first, attempt.second);
    const auto run = std::find_if(m_plan.runs.begin(), m_plan.runs.end(),
                                  [&](const RunSpec& spec) { return spec.id == attempt.first; });
    AttemptFiles files;
    const auto add = [&](const fs::path& path, wire::FileKind kind, int rank) {
        FollowedFile file = name(path, kind);
        file.run = attempt.first;
        file.attempt = attempt.second;
        file.rank = rank;
        files.push_back(follow(std::move(file)));
    };
    add(layout::factsFile(folder), wire::FileKind::facts, -1);
    for (int rank = 0; run != m_plan.runs.end() && rank < run->processes(); ++rank) {
        if (rank < run->rankProcesses() || !run->leads(0)) // servers have no samples, unless one of them leads
            add(layout::spoolFile(folder, rank), wire::FileKind::spool, rank);
        add(layout::rankLog(folder, rank), wire::FileKind::log, rank);
    }
    add(layout::attemptLog(folder), wire::FileKind::log, -1);
    return files;
}

Result<void> Follower::poll(std::int64_t nowNs, Output& output)
{
    if (nowNs < m_dueNs || !output.roomy())
        return {};
    allowLooks(nowNs);
    PollBudget budget{output, m_looksLeft};
    readJournal(budget);
    TRY_ASSIGN(const bool isThrough, lookAround(budget));
    m_caughtUp = m_caughtUp || isThrough;
    m_looksLeft = budget.looksLeft;
    TRY(reportState(nowNs, output));
    schedule(nowNs, budget, isThrough && m_lines.empty());
    return {};
}

void Follower::allowLooks(std::int64_t nowNs)
{
    const std::int64_t more = (nowNs - m_allowedNs) / kPerLook.count();
    m_allowedNs += more * kPerLook.count();
    m_looksLeft = std::min<std::uint64_t>(kMostLooks, m_looksLeft + static_cast<std::uint64_t>(more));
}

void Follower::readJournal(PollBudget& budget)
{
    budget.looksLeft -= budget.looksLeft > 0 ? 1 : 0;
    for (auto& line : m_journal.read()) {
        const bool told = isTold(line);
        if (line.event && line.event->run)
            sort(*line.event, told);
        if (!told)
            m_lines.push_back(std::move(line));
    }
}

/// True if the app has stored it.
bool Follower::isTold(const JournalLine& line) const
{
    const auto cursor = m_cursors.find(m_journal.path());
    return cursor != m_cursors.end() && cursor->second.fileId == m_journal.fileId() &&
           line.offset < cursor->second.offset;
}

/// Only what may still be written is looked at again and again. What the app has of a told attempt may not be all: a
/// version that could not read a file has left it alone.
void Follower::sort(const JournalEvent& event, bool isTold)
{
    const AttemptKey attempt{*event.run, event.attempt};
    if (event.kind == JournalKind::attemptStarted)
        return begin(attempt, isTold);
    if (event.kind != JournalKind::attemptEnded)
        return;
    if (!isTold) {
        m_starting.hand(attempt, m_ended);
        return m_running.hand(attempt, m_ended);
    }
    m_running.close(attempt);
    m_running.leaveOutKnownLogs(attempt);
    m_running.hand(attempt, event.state == RunState::done ? m_told : m_unfinished);
    m_hasLookedBack = false;
}

/// Nothing of an attempt is sent before its beginning: the app would take the end of the one before, which stands
/// before it in the journal, for old news.
void Follower::begin(const AttemptKey& attempt, bool isTold)
{
    if (isTold)
        return m_running.add(attempt, filesOf(attempt));
    m_running.hand(attempt, m_starting);
    m_starting.add(attempt, filesOf(attempt));
}

/// True once every file was seen to its end. Attempts that run and attempts that have ended come first by turns, so
/// that neither wait for the others; those whose end is told come last.
Result<bool> Follower::lookAround(PollBudget& budget)
{
    bool isThrough = false;
    const bool hasLines = !m_lines.empty();
    m_isTurnOfRunning = !m_isTurnOfRunning;
    if (m_isTurnOfRunning) {
        TRY_ASSIGN(isThrough, m_running.goOn(budget));
    }
    TRY(sendLines(budget));
    TRY_ASSIGN(const bool hasLookedBack, lookBack(budget));
    if (!isThrough || hasLines) { // by which others may run now
        TRY_ASSIGN(isThrough, m_running.goOn(budget));
    }
    return isThrough && hasLookedBack;
}

/// Looks once at the attempts whose end is told.
Result<bool> Follower::lookBack(PollBudget& budget)
{
    if (m_hasLookedBack)
        return true;
    TRY_ASSIGN(const bool isThrough, m_told.goOn(budget));
    if (!isThrough)
        return false;
    m_told.clear();
    TRY_ASSIGN(m_hasLookedBack, m_unfinished.goOn(budget));
    return m_hasLookedBack;
}

Result<void> Follower::sendLines(PollBudget& budget)
{
    while (!m_lines.empty() && budget.output.roomy()) {
        const JournalLine& line = m_lines.front();
        TRY_ASSIGN(const bool sent, sendBefore(line, budget));
        if (!sent)
            return {};
        TRY(sendLine(line, budget));
        m_lines.pop_front();
    }
    return {};
}

/// Sends everything that must precede a line; false if the budget was spent before.
Result<bool> Follower::sendBefore(const JournalLine& line, PollBudget& budget)
{
    if (!line.event)
        return true;
    if (line.event->kind == JournalKind::attemptEnded && line.event->run)
        return sendEnded(*line.event, budget);
    if (line.event->kind != JournalKind::runnerEnded)
        return true;
    TRY_ASSIGN(const bool hasLookedBack, lookBack(budget));
    if (!hasLookedBack)
        return false;
    TRY_ASSIGN(const bool sent, m_unfinished.goOn(budget));
    TRY_ASSIGN(const bool sentOwn, m_running.goOn(budget));
    return sent && sentOwn;
}

Result<bool> Follower::sendEnded(const JournalEvent& event, PollBudget& budget)
{
    const AttemptKey attempt{*event.run, event.attempt};
    if (m_ended.has(attempt)) {
        runner::forgetAbsentFiles(layout::attemptFolder(m_root, *event.run, event.attempt));
        m_ended.close(attempt);
        m_ended.hand(attempt, m_ending);
    }
    TRY_ASSIGN(const bool sent, m_ending.goOn(budget));
    if (sent && event.state != RunState::done)
        m_ending.hand(attempt, m_unfinished);
    if (sent)
        m_ending.clear();
    return sent;
}

Result<void> Follower::sendLine(const JournalLine& line, PollBudget& budget)
{
    budget.news = true;
    TRY(budget.output.add(wire::FileChunk{m_plan.campaign,
                                          {},
                                          0,
                                          wire::FileKind::journal,
                                          -1,
                                          m_journal.path(),
                                          m_journal.fileId(),
                                          line.offset,
                                          line.bytes,
                                          m_lines.size() == 1}));
    if (line.event && line.event->kind == JournalKind::attemptStarted && line.event->run)
        m_starting.hand({*line.event->run, line.event->attempt}, m_running);
    return {};
}

Result<void> Follower::reportState(std::int64_t nowNs, Output& output)
{
    wire::FollowState state = m_state;
    if (nowNs >= m_aliveDueNs) {
        m_aliveDueNs = nowNs + kAlivePause.count();
        state.runnerAlive = m_isAlive(m_plan.campaign);
        if (m_state.runnerAlive && !state.runnerAlive)
            lookAgain();
    }
    state.caughtUp = m_caughtUp && m_lines.empty();
    if (m_reported && state == m_state)
        return {};
    m_reported = true;
    m_state = state;
    return output.add(state);
}

/// Everything that a dead runner left is sent before its death is reported.
void Follower::lookAgain()
{
    m_caughtUp = false;
    m_running.begin();
}

/// `isThrough`: everything was seen. Else the poll ended for want of room, which the relay waits for, or of looks.
void Follower::schedule(std::int64_t nowNs, const PollBudget& budget, bool isThrough)
{
    if (budget.news)
        m_newsNs = nowNs;
    if (!isThrough) {
        m_dueNs = budget.looksLeft > 0 ? nowNs : nowNs + kBusyPause.count();
        return;
    }
    const bool recent = nowNs - m_newsNs < kRecent.count();
    m_pause = recent ? kBusyPause : std::clamp(m_pause * 2, kBusyPause, kIdlePause);
    m_dueNs = nowNs + m_pause.count();
}

} // namespace ringside::relay
