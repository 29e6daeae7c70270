// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/worktracker.h"

#include <algorithm>

namespace ringside {

namespace {

store::RunCounts sumOfUnfinished(const std::vector<store::ExperimentRow>& experiments)
{
    store::RunCounts sum;
    for (const auto& experiment : experiments) {
        const auto& runs = experiment.runs;
        if (runs.unfinished() == 0)
            continue;
        sum.total += runs.total;
        sum.done += runs.done;
        sum.failed += runs.failed;
        sum.cancelled += runs.cancelled;
        sum.running += runs.running;
        sum.queued += runs.queued;
        sum.held += runs.held;
        sum.unknown += runs.unknown;
    }
    return sum;
}

} // namespace

WorkTracker::WorkTracker(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&session.live(), &QtSink::experimentsUpdated, this, [this] { refresh(); });
    connect(&session.live(), &QtSink::runsUpdated, this, &WorkTracker::lookForFailures);
    connect(&session.live(), &QtSink::runsUpdated, this, &WorkTracker::lookForTrials);
    connect(&session, &Session::accessChanged, this, [this] {
        if (m_session.access() == Session::Access::opening)
            forget();
        refresh();
    });
    refresh();
}

/// Another database: what was told of the one before is no longer so.
void WorkTracker::forget()
{
    m_question.cancel();
    m_loaded = false;
    m_unfinished = {};
    m_failedAttempts.clear();
    m_trials.clear();
    if (!std::exchange(m_experiments, {}).empty())
        Q_EMIT changed();
}

void WorkTracker::refresh()
{
    if (m_session.access() != Session::Access::writing && m_session.access() != Session::Access::reading)
        return;
    m_session.queries().askRepeatedly(
        m_question, [](const store::Database& db, std::stop_token) { return store::experiments(db); },
        [this](Result<std::vector<store::ExperimentRow>> rows) {
            if (rows)
                apply(std::move(*rows));
        });
}

void WorkTracker::apply(std::vector<store::ExperimentRow> rows)
{
    const auto before = std::exchange(m_experiments, std::move(rows));
    m_unfinished = sumOfUnfinished(m_experiments);
    m_loaded = true;
    for (const auto& row : m_experiments) {
        const auto old = std::find_if(before.begin(), before.end(), [&](const auto& b) { return b.name == row.name; });
        if (old != before.end() && old->runs.unfinished() > 0 && row.runs.unfinished() == 0 && row.runs.total > 0)
            Q_EMIT experimentEnded(row);
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
