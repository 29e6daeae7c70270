// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/phasebarschart.h"

#include "app/style/fonts.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "core/protocol/phase.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside {

namespace {

constexpr double kWidestBar = 56;    // px
constexpr double kNameGap = 6;       // px between names
constexpr double kBarShare = 0.8;    // of the room that a bar has
constexpr double kSeenShare = 0.003; // of the highest bar: less is no line in a chart of 300 px

double total(const RankPhases& rank)
{
    return std::accumulate(rank.ms.begin(), rank.ms.end(), 0.0);
}

class Swatch : public QWidget
{
public:
    Swatch(ThemeController& theme, PhasePart part)
        : m_theme(theme)
        , m_part(part)
    {
        setFixedSize(16, 12);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        figures::drawPhase(painter, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), m_part,
                           {markPalette(m_theme.theme()), 1});
    }

private:
    ThemeController& m_theme;
    PhasePart m_part;
};

} // namespace

PhaseBarsChart::PhaseBarsChart(ThemeController& theme)
    : ChartView(theme)
{
    setTitles(tr("Rank"), tr("Time (ms)"), tr("ms"));
    setNumbered(*m_x, false); // names are under the bars, painted with them
    m_x->setLineVisible(true);
    setRoom({0, 4, 8, 0});
    setValueRange(0, 1, 4);
}

void PhaseBarsChart::show(const std::vector<RankPhases>& ranks)
{
    m_ranks = ranks;
    double highest = ranks.empty() ? 1 : 0.001;
    for (const RankPhases& rank : ranks)
        highest = std::max(highest, total(rank));
    setNumbered(*m_y, !ranks.empty()); // without times there is no scale
    m_x->setRange(0, std::max<double>(1, static_cast<double>(ranks.size())));
    setValueRange(0, highest * 1.02, 4);
    QStringList spoken;
    for (const RankPhases& rank : ranks)
        spoken << tr("rank %1: %2 ms").arg(rank.name, Numbers::threeDigits(total(rank)));
    setSpoken(tr("Phases per rank"), spoken.join(QStringLiteral("; ")));
    refresh();
}

QPointF PhaseBarsChart::valuePlace(int value) const
{
    return at(value + 0.5, total(m_ranks[std::size_t(value)]));
}

QString PhaseBarsChart::valueText(int value) const
{
    const RankPhases& rank = m_ranks[std::size_t(value)];
    QStringList lines{tr("%1: %2 ms", "rank or phase, its time").arg(rank.title, Numbers::threeDigits(total(rank)))};
    for (const Phase phase : kPhases)
        if (const double ms = rank.ms[std::size_t(phase)]; ms > 0)
            lines << tr("%1: %2 ms", "rank or phase, its time")
                         .arg(coreText(wordsOf(partOf(phase, rank.told)).title), Numbers::threeDigits(ms));
    return lines.join(QLatin1Char('\n'));
}

void PhaseBarsChart::paintMarks(QPainter& painter, const QRectF& plot)
{
    if (m_ranks.empty())
        return;
    const double room = plot.width() / static_cast<double>(m_ranks.size());
    const double width = std::min(kWidestBar, room * kBarShare);
    for (std::size_t i = 0; i < m_ranks.size(); ++i)
        paintBar(painter, m_ranks[i], plot.left() + (static_cast<double>(i) + 0.5) * room, width);
    paintNames(painter, plot);
}

void PhaseBarsChart::paintBar(QPainter& painter, const RankPhases& rank, double centre, double width)
{
    double below = 0;
    for (const Phase phase : kPhases) {
        const double above = below + rank.ms[static_cast<std::size_t>(phase)];
        const QRectF box(QPointF(centre - width / 2, at(0, above).y()), QPointF(centre + width / 2, at(0, below).y()));
        if (box.height() > 0.25)
            figures::drawPhase(painter, box, partOf(phase, rank.told), look());
        below = above;
    }
}

void PhaseBarsChart::paintNames(QPainter& painter, const QRectF& plot)
{
    painter.setFont(markFont(kSmallSize));
    painter.setPen(theme().text2);
    const QFontMetricsF metrics(painter.font());
    double widest = 0; // "1008–1023", where bars are groups of ranks
    for (const RankPhases& rank : m_ranks)
        widest = std::max(widest, metrics.horizontalAdvance(rank.name) + kNameGap);
    const double room = plot.width() / static_cast<double>(m_ranks.size());
    const auto step = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(widest / room)));
    for (std::size_t i = 0; i < m_ranks.size(); i += step) {
        const double centre = plot.left() + (static_cast<double>(i) + 0.5) * room;
        painter.drawText(QRectF(centre - widest / 2, plot.bottom() + 4, widest, metrics.height()),
                         Qt::AlignHCenter | Qt::AlignVCenter, m_ranks[i].name);
    }
}

PhaseKey::PhaseKey(ThemeController& theme)
    : FlowBox(14, 4)
{
    for (const PhasePart part : partsOf(PhaseSet{})) {
        auto* entry = new QWidget;
        fillRow(entry, {new Swatch(theme, part), makeLabel(LabelKind::caption, coreText(wordsOf(part).title))}, 6);
        layout()->addWidget(entry);
        m_entries.emplace_back(part, entry);
    }
    show({});
}

void PhaseKey::show(const std::vector<RankPhases>& ranks)
{
    double highest = 0;
    for (const RankPhases& rank : ranks)
        highest = std::max(highest, total(rank));
    for (const auto& [part, entry] : m_entries)
        entry->setVisible(std::ranges::any_of(ranks, [&, part = part](const RankPhases& rank) {
            return hasPart(rank.told, part) && rank.ms[std::size_t(part.phase)] > kSeenShare * highest;
        }));
}

} // namespace ringside
