// SPDX-License-Identifier: MIT
#include "agent/runner/journalwriter.h"

#include "core/base/clock.h"

#include <thread>

namespace ringside::runner {

namespace {

JournalEvent eventOf(JournalKind kind)
{
    JournalEvent event;
    event.kind = kind;
    return event;
}

JournalEvent eventOf(JournalKind kind, const RunId& run, int attempt)
{
    JournalEvent event = eventOf(kind);
    event.run = run;
    event.attempt = attempt;
    return event;
}

} // namespace

void JournalWriter::runnerStarted()
{
    add(eventOf(JournalKind::runnerStarted));
}

void JournalWriter::attemptStarted(const RunId& run, int attempt)
{
    JournalEvent event = eventOf(JournalKind::attemptStarted, run, attempt);
    event.state = RunState::starting;
    add(std::move(event));
}

void JournalWriter::attemptEnded(const RunId& run, int attempt, const Verdict& verdict)
{
    JournalEvent event = eventOf(JournalKind::attemptEnded, run, attempt);
    event.state = verdict.state;
    event.cause = verdict.cause;
    event.reason = verdict.reason;
    event.rank = verdict.rank;
    event.host = verdict.host;
    add(std::move(event));
}

void JournalWriter::held()
{
    JournalEvent event = eventOf(JournalKind::held);
    event.reason = because(why::kHeld);
    add(std::move(event));
}

void JournalWriter::waits(Reason reason)
{
    JournalEvent event = eventOf(JournalKind::waits);
    event.reason = std::move(reason);
    add(std::move(event));
}

void JournalWriter::continued()
{
    add(eventOf(JournalKind::continued));
}

void JournalWriter::runnerEnded(RunState state, Reason reason)
{
    JournalEvent event = eventOf(JournalKind::runnerEnded);
    event.state = state;
    event.reason = std::move(reason);
    add(std::move(event));
}

void JournalWriter::close()
{
    m_isClosed = true;
    m_waiting.clear();
}

void JournalWriter::add(JournalEvent event)
{
    if (m_isClosed)
        return;
    event.wallNs = wallNs();
    event.lease = m_lease;
    if (m_waiting.empty())
        m_waitingSinceNs = monotonicNs();
    m_waiting.push_back(std::move(event));
    (void)flush(); // an error stays until the next flush, which its caller looks at
}

Result<void> JournalWriter::flush()
{
    while (!m_waiting.empty()) {
        auto written = m_journal.append(m_waiting.front());
        if (!written && monotonicNs() - m_waitingSinceNs < toNs(m_patience))
            return {};
        TRY(std::move(written));
        m_waiting.pop_front();
        m_waitingSinceNs = monotonicNs();
    }
    return {};
}

Result<void> JournalWriter::drain()
{
    for (;;) {
        TRY(flush());
        if (m_waiting.empty())
            return {};
        std::this_thread::sleep_for(std::min(m_patience, milliseconds(200)));
    }
}

} // namespace ringside::runner
