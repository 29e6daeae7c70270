// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/workprogress.h"

#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include "core/stats/timeleft.h"

#include <QProgressBar>
#include <algorithm>

namespace ringside {

namespace {

/// True of a run that was done; the time of a trial, a failure or a cancelled run says nothing of the others.
bool tellsPace(const store::RunRow& run)
{
    return run.kind == RunKind::run && run.state == RunState::done && run.seconds;
}

stats::PastRun pastRun(const store::RunRow& run)
{
    return {run.configurationKey, run.campaign.str(), run.since - static_cast<std::int64_t>(*run.seconds * 1e9),
            run.since};
}

bool isToDo(const store::RunRow& run)
{
    return run.kind == RunKind::run && !isFinal(run.state);
}

stats::RunToDo runToDo(const store::RunRow& run, std::int64_t nowNs)
{
    const bool runs = run.state == RunState::running || run.state == RunState::starting;
    return {run.configurationKey, runs ? static_cast<double>(std::max<std::int64_t>(1, nowNs - run.since)) / 1e9 : 0.0,
            run.campaign.str()};
}

} // namespace

WorkProgressBar::WorkProgressBar()
    : m_text(makeLabel(LabelKind::caption))
    , m_bar(new QProgressBar)
{
    fillColumn(this, {stretch(), m_text, m_bar, stretch()}, 6);
    m_bar->setTextVisible(false);
    m_bar->setMinimumWidth(160);
}

void WorkProgressBar::setProgress(const store::RunCounts& counts, double secondsLeft)
{
    const int ended = counts.carriedOut();
    const QString of = tr("%1 of %n run(s)", "ended runs", counts.total).arg(Numbers::count(ended));
    m_text->setText(secondsLeft >= 0 && counts.unfinished() > 0
                        ? tr("%1 · about %2 left").arg(of, Numbers::duration(secondsLeft))
                        : of);
    m_bar->setRange(0, std::max(1, counts.total));
    m_bar->setValue(ended);
    m_bar->setAccessibleName(tr("%1 done").arg(of));
}

void WorkProgressBar::setTrial(const QString& state, int iterations, int of)
{
    m_text->setText(tr("Trial: %1", "its state").arg(state));
    m_bar->setRange(0, std::max(1, of));
    m_bar->setValue(iterations);
    m_bar->setAccessibleName(m_text->text());
}

double secondsLeft(const std::map<RunId, store::RunRow>& runs, std::int64_t nowNs)
{
    std::vector<stats::PastRun> past;
    std::vector<stats::RunToDo> toDo;
    for (const auto& [id, run] : runs)
        if (tellsPace(run))
            past.push_back(pastRun(run));
        else if (isToDo(run))
            toDo.push_back(runToDo(run, nowNs));
    return stats::secondsLeft(past, toDo).value_or(-1);
}

} // namespace ringside
