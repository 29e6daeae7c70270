// SPDX-License-Identifier: MIT
#include "agent/relay/follower.h"

#include "agent/runner/rankexit.h"
#include "core/protocol/layout.h"

#include <algorithm>

namespace ringside::relay {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMaxPlanBytes = 256u << 20;
/// Between two passes while there is news: what eyes take for live.
constexpr std::chrono::nanoseconds kBusyPause = 100ms;
/// News counts as recent for so long; longer than the 2 s between two heartbeats, so that a living attempt stays live.
constexpr std::chrono::nanoseconds kRecent = 3s;
/// Without news the pause doubles up to this.
constexpr std::chrono::nanoseconds kIdlePause = 5s;
/// A file server is not asked more often than 200 times a second, whatever the number of ranks.
constexpr std::chrono::nanoseconds kPerLook = 5ms;
/// How often it is looked whether the runner lives.
constexpr std::chrono::nanoseconds kAlivePause = 1s;

std::map<std::string, wire::Cursor> byPath(const std::vector<wire::Cursor>& cursors)
{
    std::map<std::string, wire::Cursor> result;
    for (const auto& cursor : cursors)
        result[cursor.path] = cursor;
    return result;
}

} // namespace

Result<Follower> Follower::start(const fs::path& root, const wire::FollowRequest& request, IsAlive isAlive)
{
    if (request.campaign.empty())
        return fail(ErrorCode::usage, "Which campaign to follow was not said.");
    const fs::path campaign = layout::campaignFolder(root, request.campaign);
    TRY_ASSIGN(const std::string text, readFile(layout::planFile(campaign), kMaxPlanBytes));
    TRY_ASSIGN(CampaignPlan plan, planFromJson(text));
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
{
    m_state.requestId = request.requestId;
    m_state.campaign = m_plan.campaign;
}

FollowedFile Follower::name(const fs::path& path, wire::FileKind kind) const
{
    FollowedFile file;
    file.absolute = path;
    file.path = path.lexically_relative(m_root).string();
    file.kind = kind;
    return file;
}

FileFollower Follower::follow(FollowedFile file) const
{
    const auto cursor = m_cursors.find(file.path);
    return {std::move(file), cursor == m_cursors.end() ? std::nullopt : std::optional(cursor->second)};
}

Follower::Files Follower::filesOf(const AttemptKey& attempt) const
{
    const fs::path folder = layout::attemptFolder(m_root, attempt.first, attempt.second);
    const auto run = std::find_if(m_plan.runs.begin(), m_plan.runs.end(),
                                  [&](const RunSpec& spec) { return spec.id == attempt.first; });
    Files files;
    const auto add = [&](const fs::path& path, wire::FileKind kind, int rank) {
        FollowedFile file = name(path, kind);
        file.run = attempt.first;
        file.attempt = attempt.second;
        file.rank = rank;
        files.push_back(follow(std::move(file)));
    };
    add(layout::factsFile(folder), wire::FileKind::facts, -1);
    for (int rank = 0; run != m_plan.runs.end() && rank < run->ranks(); ++rank) {
        add(layout::spoolFile(folder, rank), wire::FileKind::spool, rank);
        add(layout::rankLog(folder, rank), wire::FileKind::log, rank);
    }
    add(layout::attemptLog(folder), wire::FileKind::log, -1);
    return files;
}

Result<void> Follower::turn(std::int64_t nowNs, Output& output)
{
    if (nowNs < m_dueNs || !output.roomy())
        return {};
    m_looks = 0;
    m_news = false;
    readJournal();
    TRY(sendLines(output));
    TRY_ASSIGN(const bool drained, sendAll(m_attempts, output));
    TRY(reportState(drained && m_lines.empty(), nowNs, output));
    schedule(nowNs);
    return {};
}

void Follower::readJournal()
{
    ++m_looks;
    for (auto& line : m_journal.read()) {
        if (line.event && line.event->kind == JournalKind::attemptStarted && line.event->run) {
            const AttemptKey attempt{*line.event->run, line.event->attempt};
            m_attempts.try_emplace(attempt, filesOf(attempt));
        }
        m_lines.push_back(std::move(line));
    }
}

Result<void> Follower::sendLines(Output& output)
{
    while (!m_lines.empty() && output.roomy()) {
        const JournalLine& line = m_lines.front();
        TRY_ASSIGN(const bool sent, sendBefore(line, output));
        if (!sent)
            return {};
        TRY(sendLine(line, output));
        m_lines.pop_front();
    }
    return {};
}

/// What has to be sent before a line; false if the output filled up before all of it was.
Result<bool> Follower::sendBefore(const JournalLine& line, Output& output)
{
    if (!line.event)
        return true;
    if (line.event->kind == JournalKind::attemptEnded && line.event->run)
        return sendEnded(*line.event, output);
    if (line.event->kind == JournalKind::runnerEnded)
        return sendAll(m_unfinished, output);
    return true;
}

Result<bool> Follower::sendEnded(const JournalEvent& event, Output& output)
{
    const auto attempt = m_attempts.find({*event.run, event.attempt});
    if (attempt == m_attempts.end())
        return true;
    runner::forgetAbsentFiles(layout::attemptFolder(m_root, *event.run, event.attempt));
    TRY_ASSIGN(const bool drained, sendFiles(attempt->second, output));
    if (!drained)
        return false;
    auto ended = m_attempts.extract(attempt);
    if (event.state != RunState::done)
        m_unfinished.insert(std::move(ended));
    return true;
}

Result<void> Follower::sendLine(const JournalLine& line, Output& output)
{
    const FollowedFile file =
        name(layout::journalFile(layout::campaignFolder(m_root, m_plan.campaign)), wire::FileKind::journal);
    const auto cursor = m_cursors.find(file.path);
    if (cursor != m_cursors.end() && cursor->second.fileId == m_journal.fileId() && line.offset < cursor->second.offset)
        return {};
    m_news = true;
    return output.add(wire::FileChunk{m_plan.campaign,
                                      {},
                                      0,
                                      file.kind,
                                      -1,
                                      file.path,
                                      m_journal.fileId(),
                                      line.offset,
                                      line.bytes,
                                      m_lines.size() == 1});
}

/// True once every file was sent to its end.
Result<bool> Follower::sendFiles(Files& files, Output& output)
{
    bool drained = true;
    for (auto& file : files) {
        bool more = !file.finished();
        while (more && output.roomy()) {
            ++m_looks;
            auto chunk = file.next();
            more = chunk && !file.drained() && !file.finished();
            if (!chunk)
                break;
            chunk->campaign = m_plan.campaign;
            m_news = true;
            TRY(output.add(*chunk));
        }
        drained = drained && !more;
    }
    return drained;
}

Result<bool> Follower::sendAll(Attempts& attempts, Output& output)
{
    bool drained = true;
    for (auto& [attempt, files] : attempts) {
        TRY_ASSIGN(const bool sent, sendFiles(files, output));
        drained = drained && sent;
    }
    return drained;
}

Result<void> Follower::reportState(bool caughtUp, std::int64_t nowNs, Output& output)
{
    wire::FollowState state = m_state;
    state.caughtUp = caughtUp;
    if (nowNs >= m_aliveDueNs) {
        m_aliveDueNs = nowNs + kAlivePause.count();
        state.runnerAlive = m_isAlive(m_plan.campaign);
    }
    if (m_reported && state == m_state)
        return {};
    m_reported = true;
    m_state = state;
    return output.add(state);
}

void Follower::schedule(std::int64_t nowNs)
{
    if (m_news)
        m_newsNs = nowNs;
    const bool recent = nowNs - m_newsNs < kRecent.count();
    m_pause = recent ? kBusyPause : std::clamp(m_pause * 2, kBusyPause, kIdlePause);
    m_dueNs = nowNs + std::max<std::chrono::nanoseconds>(m_pause, kPerLook * m_looks).count();
}

} // namespace ringside::relay
