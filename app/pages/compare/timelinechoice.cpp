// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/timelinechoice.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "core/report/names.h"

#include <QComboBox>
#include <algorithm>
#include <map>

namespace ringside {

namespace {

/// "Run 12 · buckets · 2 CPU ranks".
QString runText(const report::Comparison& comparison, const store::RunRow& run)
{
    QStringList words{TimelineChoice::tr("Run %1").arg(Numbers::count(run.number))};
    for (const spec::Factor& factor : comparison.factors)
        if (const std::string text = report::shownLevelText(factor.key, run.settings); !text.empty())
            words << toQt(text);
    return words.join(QStringLiteral(" · "));
}

} // namespace

TimelineChoice::TimelineChoice()
    : m_run(new QComboBox)
    , m_iteration(new QComboBox)
{
    fillRow(this, {captioned(m_run, tr("Run"), 5), captioned(m_iteration, tr("Iteration"), 5), stretch()}, space::kGap);
    connect(m_run, &QComboBox::activated, this, [this] {
        m_iterationChosen.reset();
        Q_EMIT chosen();
    });
    connect(m_iteration, &QComboBox::activated, this, [this] {
        m_iterationChosen = m_iteration->currentData().toUInt();
        Q_EMIT chosen();
    });
}

void TimelineChoice::offer(const report::Comparison& comparison, const std::vector<store::MeasuredRun>& runs,
                           const std::optional<RunId>& shown)
{
    const QSignalBlocker blocker(m_run);
    m_run->clear();
    m_runs.clear();
    std::map<RunId, const store::RunRow*> rows;
    for (const store::MeasuredRun& run : runs)
        rows.emplace(run.row.id, &run.row);
    for (const report::Group& group : comparison.groups)
        for (const RunId& id : group.runs)
            if (const auto row = rows.find(id); row != rows.end()) {
                m_run->addItem(runText(comparison, *row->second));
                m_runs.push_back(id);
            }
    const auto found = shown ? std::find(m_runs.begin(), m_runs.end(), *shown) : m_runs.end();
    m_run->setCurrentIndex(found == m_runs.end() ? -1 : int(found - m_runs.begin()));
    m_run->setToolTip(plainToolTip(m_run->currentText())); // where it has no room
}

void TimelineChoice::offerIterations(const std::vector<std::uint32_t>& recorded, std::uint32_t shown)
{
    const QSignalBlocker blocker(m_iteration);
    m_iteration->clear();
    for (const std::uint32_t seq : recorded)
        m_iteration->addItem(QString::number(seq), seq);
    m_iteration->setCurrentIndex(m_iteration->findData(shown));
}

void TimelineChoice::chooseOneOf(const std::vector<RunId>& runs)
{
    const auto isOneOf = [&](const RunId& id) { return std::find(runs.begin(), runs.end(), id) != runs.end(); };
    const auto first = std::find_if(m_runs.begin(), m_runs.end(), isOneOf);
    const std::optional<RunId> now = run();
    if (first == m_runs.end() || (now && isOneOf(*now)))
        return;
    m_run->setCurrentIndex(int(first - m_runs.begin()));
    m_iterationChosen.reset();
    Q_EMIT chosen();
}

void TimelineChoice::forget()
{
    m_runs.clear();
    m_run->clear();
    m_iteration->clear();
    m_iterationChosen.reset();
}

std::optional<RunId> TimelineChoice::run() const
{
    const int index = m_run->currentIndex();
    return index >= 0 && index < int(m_runs.size()) ? std::optional(m_runs[std::size_t(index)]) : std::nullopt;
}

} // namespace ringside
