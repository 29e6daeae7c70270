// SPDX-License-Identifier: MIT
#include "agent/runner/history.h"

#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>

namespace ringside::runner {

namespace {

/// Some 300 bytes an event: enough for a million runs.
constexpr std::uint64_t kMaxJournalBytes = 1u << 30;

/// Replays events in their order.
class Replay
{
public:
    void take(const JournalEvent& event)
    {
        if (event.run) {
            int& highest = m_history.attempts[*event.run];
            highest = std::max(highest, event.attempt);
        }
        if (event.kind == JournalKind::attemptStarted && event.run)
            m_open[{*event.run, event.attempt}] = event.wallNs;
        else if (event.kind == JournalKind::attemptEnded && event.run)
            end(event);
        m_history.ended = event.kind == JournalKind::runnerEnded;
        if (event.kind != JournalKind::attemptStarted && event.kind != JournalKind::attemptEnded)
            m_history.note = event.reason;
    }

    History result()
    {
        for (const auto& [attempt, since] : m_open)
            m_history.open.push_back(attempt);
        return std::move(m_history);
    }

private:
    void end(const JournalEvent& event)
    {
        const auto begun = m_open.find({*event.run, event.attempt});
        if (begun != m_open.end() && event.state == RunState::done)
            m_history.lengths.emplace_back(*event.run, static_cast<double>(event.wallNs - begun->second) * 1e-9);
        if (begun != m_open.end())
            m_open.erase(begun);
        if (isFinal(event.state))
            m_history.finished.insert(*event.run);
        if (event.cause == Cause::runnerLost)
            ++m_history.lost[*event.run];
    }

    History m_history;
    std::map<std::pair<RunId, int>, std::int64_t> m_open;
};

} // namespace

Result<History> readHistory(const fs::path& campaign)
{
    auto bytes = readRegularFile(layout::journalFile(campaign), kMaxJournalBytes);
    if (!bytes && bytes.error().code == ErrorCode::notFound)
        return History{};
    if (!bytes)
        return tl::unexpected(bytes.error());
    Replay replay;
    JournalReader reader;
    TRY(reader.feed(*bytes, [&](const JournalEvent& event) { replay.take(event); }));
    return replay.result();
}

} // namespace ringside::runner
