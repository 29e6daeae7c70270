// SPDX-License-Identifier: GPL-3.0-or-later
// One stack per rank: where the last iterations spent their time.
#pragma once

#include "app/charts/chartview.h"
#include "app/widgets/flowlayout.h"

#include <QStringList>
#include <array>
#include <vector>

namespace ringside {

/// More ranks are shown as this many groups (UX.md 3.4).
inline constexpr int kMostRankBars = 64;

struct RankPhases
{
    QString name;                         ///< "3", or "0–15" for a group
    QString title;                        ///< "Rank 3", "Ranks 0–15"
    std::array<double, kPhaseCount> ms{}; ///< medians over the last iterations, indexed by Phase
    PhaseSet told = PhaseSet::all();      ///< in all of them
};

class PhaseBarsChart : public ChartView
{
    Q_OBJECT
public:
    explicit PhaseBarsChart(ThemeController& theme);
    void show(const std::vector<RankPhases>& ranks);

protected:
    void paintMarks(QPainter& painter, const QRectF& plot) override;
    int valueCount() const override { return int(m_ranks.size()); }
    QPointF valuePlace(int value) const override;
    QString valueText(int value) const override;

private:
    void paintBar(QPainter& painter, const RankPhases& rank, double centre, double width);
    void paintNames(QPainter& painter, const QRectF& plot);

    std::vector<RankPhases> m_ranks;
};

/// The key of the phases that can be seen: swatch and name, wrapping where there is little room.
class PhaseKey : public FlowBox
{
public:
    explicit PhaseKey(ThemeController& theme);
    void show(const std::vector<RankPhases>& ranks);

private:
    std::vector<std::pair<PhasePart, QWidget*>> m_entries;
};

} // namespace ringside
