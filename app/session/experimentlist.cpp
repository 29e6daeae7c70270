// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/experimentlist.h"

#include "app/session/session.h"
#include "app/text/text.h"

#include "core/spec/calibration.h"

#include <algorithm>

namespace ringside {

bool isOffered(const store::ExperimentRow& row)
{
    return !row.archived && !spec::isCalibration(row.name, row.site);
}

ExperimentList::ExperimentList(Session& session)
    : m_session(session)
{
    connect(&session, &Session::accessChanged, this, &ExperimentList::followAccess);
    connect(&session, &Session::readAgain, this, &ExperimentList::refresh);
    connect(&session.live(), &QtSink::runsUpdated, this, &ExperimentList::follow);
    connect(&session.live(), &QtSink::runsOutdated, this, &ExperimentList::refresh);
}

bool ExperimentList::holds(const QString& experiment) const
{
    return std::ranges::find(rows(), toUtf8(experiment), &store::ExperimentRow::name) != rows().end();
}

bool ExperimentList::knows(const QString& experiment) const
{
    return m_isCurrent || (m_isLoaded && (experiment.isEmpty() || holds(experiment)));
}

void ExperimentList::visit(const QString& experiment)
{
    const auto access = m_session.access();
    const bool isReported = access == Session::Access::writing || access == Session::Access::opening;
    if (!isReported || m_hasFailed || (!experiment.isEmpty() && !holds(experiment)))
        refresh();
}

/// Another database: reports about the one before no longer hold.
void ExperimentList::followAccess()
{
    if (m_session.access() != Session::Access::opening)
        return refresh();
    m_question.cancel();
    m_overview = {};
    m_isCurrent = false;
    if (std::exchange(m_isLoaded, false))
        Q_EMIT changed();
}

void ExperimentList::refresh()
{
    m_isCurrent = false;
    m_session.queries().askRepeatedly(
        m_question, [](const store::Database& db, std::stop_token) { return store::experimentOverview(db); },
        [this, asked = ++m_asked](Result<store::ExperimentOverview> overview) {
            m_hasFailed = !overview;
            m_isCurrent = overview && asked == m_asked;
            take(std::move(overview));
        });
}

void ExperimentList::take(Result<store::ExperimentOverview> overview)
{
    if (overview) {
        m_overview = std::move(*overview);
        m_isLoaded = true;
        Q_EMIT changed();
    } else if (m_session.access() != Session::Access::opening) {
        Q_EMIT failed(overview.error());
    }
}

/// The answer that is awaited may be older than these rows. They are counted by the one that is asked for now: counted
/// here as well, the older answer would undo them, and an experiment would end twice.
void ExperimentList::follow(const std::vector<store::RunRow>& runs)
{
    if (!m_isCurrent)
        return refresh();
    bool isEnough = true, isChange = false;
    for (const store::RunRow& run : runs) {
        const auto known = m_overview.underWay.find(run.id);
        const bool isCounted = store::isCounted(run);
        if (run.kind != RunKind::run || (!isCounted && known == m_overview.underWay.end()))
            continue;
        const auto experiment = std::ranges::find(m_overview.experiments, run.experiment, &store::ExperimentRow::name);
        if (known == m_overview.underWay.end() || experiment == m_overview.experiments.end() ||
            run.state == RunState::unknown || run.held || !isCounted) {
            isEnough = false;
        } else if (run.state != known->second) {
            store::count(experiment->runs, known->second, -1);
            store::count(experiment->runs, run.state);
            experiment->changedAt = std::max(experiment->changedAt, run.since);
            known->second = run.state;
            isChange = true;
        }
    }
    if (!isEnough)
        refresh();
    if (isChange)
        Q_EMIT changed();
}

} // namespace ringside
