// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/worktracker.h"

namespace ringside {

namespace {

void add(store::RunCounts& sum, const store::RunCounts& runs)
{
    sum.total += runs.total;
    sum.done += runs.done;
    sum.failed += runs.failed;
    sum.cancelled += runs.cancelled;
    sum.running += runs.running;
    sum.queued += runs.queued;
    sum.held += runs.held;
    sum.unknown += runs.unknown;
}

} // namespace

WorkTracker::WorkTracker(Session& session)
    : m_session(session)
{
    connect(&session.experiments(), &ExperimentList::changed, this, &WorkTracker::takeExperiments);
    connect(&session.live(), &QtSink::runsUpdated, this, &WorkTracker::lookForFailures);
    connect(&session.live(), &QtSink::runsUpdated, this, &WorkTracker::lookForTrials);
    connect(&session, &Session::accessChanged, this, [this] {
        if (m_session.access() == Session::Access::opening)
            forget();
    });
    if (session.experiments().isLoaded()) // reported once the owner listens
        QMetaObject::invokeMethod(this, &WorkTracker::takeExperiments, Qt::QueuedConnection);
}

/// Another database: reports about the one before no longer hold.
void WorkTracker::forget()
{
    m_failedAttempts.clear();
    if (!std::exchange(m_trials, {}).empty())
        Q_EMIT changed();
}

void WorkTracker::takeExperiments()
{
    const auto before = std::exchange(m_busy, {});
    m_unfinished = {};
    for (const auto& row : m_session.experiments().rows()) {
        if (row.runs.unfinished() > 0) {
            m_busy.insert(row.name);
            add(m_unfinished, row.runs);
        } else if (before.contains(row.name) && row.runs.total > 0) {
            Q_EMIT experimentEnded(row);
        }
    }
    Q_EMIT changed();
}

void WorkTracker::lookForFailures(const std::vector<store::RunRow>& rows)
{
    std::vector<store::RunRow> failed;
    for (const auto& row : rows)
        if (row.state == RunState::failed && std::exchange(m_failedAttempts[row.id], row.attempt) != row.attempt)
            failed.push_back(row);
    if (!failed.empty())
        Q_EMIT runsFailed(failed);
}

void WorkTracker::lookForTrials(const std::vector<store::RunRow>& rows)
{
    const bool wasTrying = isTrying();
    for (const auto& row : rows)
        if (row.kind == RunKind::trial)
            isFinal(row.state) ? (void)m_trials.erase(row.id) : (void)m_trials.insert(row.id);
    if (isTrying() != wasTrying)
        Q_EMIT changed();
}

QString workText(const store::RunCounts& runs)
{
    QStringList parts;
    if (runs.running > 0)
        parts << WorkTracker::tr("%n running", "runs", runs.running);
    if (runs.queued > runs.held)
        parts << WorkTracker::tr("%n queued", "runs", runs.queued - runs.held);
    if (runs.held > 0)
        parts << WorkTracker::tr("%n held", "runs", runs.held);
    if (runs.unknown > 0)
        parts << WorkTracker::tr("%n without contact", "runs", runs.unknown);
    return parts.join(QStringLiteral(" · "));
}

} // namespace ringside
