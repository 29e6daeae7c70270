// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/workprogress.h"

#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include <QProgressBar>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

namespace ringside {

namespace {

/// Ends that the pace is taken from: an interleaved order brings every configuration into so many.
constexpr std::size_t kPaceRuns = 12;

/// Between two ends that lie further apart than this many times all the others, nothing ran: a night, say. Runs of
/// parallel jobs end together, which is no pace to judge a pause by.
constexpr std::int64_t kPause = 20;
constexpr std::int64_t kTogetherNs = 2'000'000'000;

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
    ends.resize(std::min(ends.size(), kPaceRuns));
    if (ends.size() < 2)
        return -1;
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < ends.size(); ++i)
        gaps.push_back(ends[i - 1] - ends[i]);
    const auto longest = std::max_element(gaps.begin(), gaps.end());
    const std::int64_t others = ends.front() - ends.back() - *longest;
    if (*longest > kPause * others && others > kTogetherNs * std::int64_t(gaps.size()))
        gaps.erase(longest);
    const auto perRun = static_cast<double>(std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0})) / 1e9 /
                        static_cast<double>(gaps.size());
    return perRun * unfinished;
}

} // namespace ringside
