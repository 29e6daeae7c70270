// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/workprogress.h"

#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include <QProgressBar>
#include <QVBoxLayout>
#include <algorithm>

namespace ringside {

namespace {

/// Ends that the pace is taken from: an interleaved order brings every configuration into so many.
constexpr std::size_t kPaceRuns = 12;

} // namespace

WorkProgressBar::WorkProgressBar(QWidget* parent)
    : QWidget(parent)
    , m_text(makeLabel(LabelKind::caption))
    , m_bar(new QProgressBar)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addStretch();
    layout->addWidget(m_text);
    layout->addWidget(m_bar);
    layout->addStretch();
    m_bar->setTextVisible(false);
    m_bar->setMinimumWidth(160);
}

void WorkProgressBar::setProgress(const store::RunCounts& counts, double secondsLeft)
{
    const int ended = counts.total - counts.unfinished();
    const QString of = tr("%1 of %n run(s)", "ended runs", counts.total).arg(Numbers::count(ended));
    m_text->setText(secondsLeft >= 0 && counts.unfinished() > 0
                        ? tr("%1 · about %2 left").arg(of, Numbers::duration(secondsLeft))
                        : of);
    m_bar->setRange(0, std::max(1, counts.total));
    m_bar->setValue(ended);
    m_bar->setAccessibleName(tr("%1 done").arg(of));
}

double secondsLeft(const std::vector<const store::RunRow*>& ended, int unfinished)
{
    std::vector<std::int64_t> ends;
    for (const store::RunRow* run : ended)
        ends.push_back(run->since);
    std::sort(ends.begin(), ends.end(), std::greater<>());
    const std::size_t used = std::min(ends.size(), kPaceRuns);
    if (used < 2)
        return -1;
    const double perRun = static_cast<double>(ends.front() - ends[used - 1]) / 1e9 / static_cast<double>(used - 1);
    return perRun * unfinished;
}

} // namespace ringside
