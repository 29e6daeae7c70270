// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/heatstrip.h"

#include "app/charts/phasebarschart.h"
#include "app/style/fonts.h"
#include "app/widgets/numbers.h"
#include "core/report/ticks.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr double kNamesWidth = 28; // px, for the ranks at the left
constexpr double kKeyHeight = 22;
constexpr double kScaleWidth = 90, kScaleHeight = 8, kKeyGap = 8;
constexpr double kLeastCell = 1; // below it a row has no gap

} // namespace

HeatStrip::HeatStrip(ThemeController& theme)
    : m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Late ranks"));
    connect(&theme, &ThemeController::themeChanged, this, [this] { update(); });
}

void HeatStrip::show(const LateView& view)
{
    m_view = view;
    m_rows.clear();
    const int ranks = view.iterations.empty() ? 0 : int(view.iterations.front().ns.size());
    m_ranksPerRow = std::max(1, (ranks + kMostRankBars - 1) / kMostRankBars);
    m_rows.resize(std::size_t((ranks + m_ranksPerRow - 1) / m_ranksPerRow));
    double highest = 0;
    for (const stats::Lateness& iteration : view.iterations)
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const auto first = iteration.ns.begin() + std::ptrdiff_t(row) * m_ranksPerRow;
            const auto last = std::min(first + m_ranksPerRow, iteration.ns.end());
            m_rows[row].push_back(double(*std::max_element(first, last)) / 1e6);
            highest = std::max(highest, m_rows[row].back());
        }
    m_top = highest > 0 ? report::niceTicks(0, highest, 5).high() : 1;
    const bool isThere = m_chosen && m_chosen->row < int(m_rows.size()) &&
                         m_chosen->column < int(m_rows.empty() ? 0 : m_rows.front().size());
    if (!isThere)
        m_chosen.reset();
    setAccessibleDescription(m_chosen ? textOf(*m_chosen) : spoken());
    update();
}

QString HeatStrip::spoken() const
{
    if (m_rows.empty())
        return tr("No iteration yet.");
    if (!m_view.named)
        return tr("No rank is late all the time.");
    const int process = m_view.named->rank, each = m_view.ranksPerProcess;
    return (each > 1 ? tr("Ranks %1 are %2 ms late.") : tr("Rank %1 is %2 ms late."))
        .arg(Numbers::ranks(process, process, each), Numbers::threeDigits(double(m_view.named->ns) / 1e6));
}

QRectF HeatStrip::plot() const
{
    return QRectF(rect()).adjusted(kNamesWidth, 0, 0, -kKeyHeight);
}

void HeatStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(sized(font(), kSmallSize));
    if (!m_rows.empty()) {
        paintCells(painter, plot());
        paintRanks(painter, plot());
        paintChosen(painter);
    }
    paintKey(painter, plot());
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.theme().accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

bool HeatStrip::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_rows.empty())
        return QWidget::event(event);
    const auto* help = static_cast<const QHelpEvent*>(event);
    const std::optional<Cell> cell = cellAt(help->pos());
    QToolTip::showText(help->globalPos(), cell ? textOf(*cell) : QString(), this);
    return true;
}

/// From the newest iteration of the first rank, where nothing was chosen yet.
void HeatStrip::keyPressEvent(QKeyEvent* event)
{
    const int right = (event->key() == Qt::Key_Right) - (event->key() == Qt::Key_Left);
    const int down = (event->key() == Qt::Key_Down) - (event->key() == Qt::Key_Up);
    if (m_rows.empty() || (right == 0 && down == 0))
        return QWidget::keyPressEvent(event);
    const Cell newest{0, int(m_rows.front().size()) - 1};
    moveTo(m_chosen ? Cell{m_chosen->row + down, m_chosen->column + right} : newest);
}

void HeatStrip::moveTo(Cell cell)
{
    cell.row = std::clamp(cell.row, 0, int(m_rows.size()) - 1);
    cell.column = std::clamp(cell.column, 0, int(m_rows.front().size()) - 1);
    m_chosen = cell;
    setAccessibleDescription(textOf(cell));
    QToolTip::showText(mapToGlobal(boxOf(cell).center().toPoint()), textOf(cell), this);
    update();
}

void HeatStrip::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_chosen.reset();
    update();
}

QRectF HeatStrip::boxOf(const Cell& cell) const
{
    const double height = plot().height() / double(m_rows.size());
    const double width = plot().width() / double(m_rows.front().size());
    return {plot().left() + width * cell.column, plot().top() + height * cell.row, width, height};
}

/// None beside the cells.
std::optional<HeatStrip::Cell> HeatStrip::cellAt(const QPointF& at) const
{
    const QRectF cells = plot();
    if (!cells.contains(at))
        return std::nullopt;
    const Cell cell{int((at.y() - cells.top()) / cells.height() * double(m_rows.size())),
                    int((at.x() - cells.left()) / cells.width() * double(m_rows.front().size()))};
    const bool isThere = cell.row < int(m_rows.size()) && cell.column < int(m_rows.front().size());
    return isThere ? std::optional(cell) : std::nullopt;
}

QString HeatStrip::textOf(const Cell& cell) const
{
    const std::vector<double>& row = m_rows[std::size_t(cell.row)];
    const int first = cell.row * m_ranksPerRow;
    const int last = std::min(first + m_ranksPerRow, int(m_view.iterations.front().ns.size())) - 1;
    const QString ms = Numbers::threeDigits(row[std::size_t(cell.column)]);
    const QString iteration = Numbers::count(std::int64_t(m_view.lastSeq) - std::int64_t(row.size() - 1) + cell.column);
    const QString ranks = Numbers::namedRanks(first, last, m_view.ranksPerProcess);
    return (first == last ? tr("%1, iteration %2: %3 ms after the first rank")
                          : tr("%1, iteration %2: at most %3 ms after the first rank"))
        .arg(ranks, iteration, ms);
}

void HeatStrip::paintChosen(QPainter& painter) const
{
    if (!m_chosen)
        return;
    painter.setPen(QPen(m_theme.theme().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(boxOf(*m_chosen).adjusted(-1, -1, 1, 1));
}

void HeatStrip::paintCells(QPainter& painter, const QRectF& plot) const
{
    const double height = plot.height() / double(m_rows.size());
    const double width = plot.width() / double(m_rows.front().size());
    const double gap = height > 4 * kLeastCell ? kLeastCell : 0;
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        for (std::size_t column = 0; column < m_rows[row].size(); ++column) {
            const double left = std::round(plot.left() + width * double(column));
            const double right = std::round(plot.left() + width * double(column + 1));
            const double top = std::round(plot.top() + height * double(row));
            const double bottom = std::round(plot.top() + height * double(row + 1));
            painter.fillRect(QRectF(left, top, right - left, bottom - top - gap), colourOf(m_rows[row][column]));
        }
}

QColor HeatStrip::colourOf(double ms) const
{
    const auto& heat = m_theme.theme().heat;
    const double place = std::clamp(ms / m_top, 0.0, 1.0) * double(heat.size() - 1);
    const auto below = std::min(std::size_t(place), heat.size() - 2);
    return mixed(heat[below + 1], heat[below], place - double(below));
}

/// As many names as there is room for, the first always.
void HeatStrip::paintRanks(QPainter& painter, const QRectF& plot) const
{
    painter.setPen(m_theme.theme().text2);
    const double height = plot.height() / double(m_rows.size());
    const double line = painter.fontMetrics().height();
    const auto step = std::max<std::size_t>(1, std::size_t(std::ceil(line / height)));
    for (std::size_t row = 0; row < m_rows.size(); row += step) {
        const double middle = plot.top() + height * (double(row) + 0.5);
        painter.drawText(QRectF(0, middle - line / 2, kNamesWidth - 8, line), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(int(row) * m_ranksPerRow * m_view.ranksPerProcess));
    }
}

/// Between the numbers of the first and the last iteration the scale; its words only where there is room for them.
void HeatStrip::paintKey(QPainter& painter, const QRectF& plot) const
{
    const QRectF line(plot.left(), plot.bottom(), plot.width(), kKeyHeight);
    const QFontMetricsF metrics(painter.font());
    const QString first = m_rows.empty() ? QString() : tr("iteration %1").arg(m_view.firstSeq);
    const QString last = m_rows.empty() ? QString() : QString::number(m_view.lastSeq);
    painter.setPen(m_theme.theme().text2);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, first);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, last);
    const QRectF room =
        line.adjusted(metrics.horizontalAdvance(first) + kKeyGap, 0, -metrics.horizontalAdvance(last) - kKeyGap, 0);
    const QString after = tr("%1 ms").arg(Numbers::threeDigits(m_top));
    const auto widthWith = [&](const QString& before) {
        return metrics.horizontalAdvance(before) + metrics.horizontalAdvance(after) + kScaleWidth + 2 * kKeyGap;
    };
    const QString whole = tr("later than the first rank: 0 ms");
    const QString before = widthWith(whole) <= room.width() ? whole : tr("0 ms");
    if (widthWith(before) <= room.width())
        paintScale(painter, QPointF(room.center().x() - widthWith(before) / 2, line.top()), before, after);
}

void HeatStrip::paintScale(QPainter& painter, const QPointF& at, const QString& before, const QString& after) const
{
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(before);
    const auto write = [&](double x, const QString& text) {
        painter.drawText(QRectF(x, at.y(), metrics.horizontalAdvance(text) + 1, kKeyHeight), Qt::AlignVCenter, text);
    };
    write(at.x(), before);
    const QRectF scale(at.x() + width + kKeyGap, at.y() + (kKeyHeight - kScaleHeight) / 2, kScaleWidth, kScaleHeight);
    QLinearGradient colours(scale.topLeft(), scale.topRight());
    const auto& heat = m_theme.theme().heat;
    for (std::size_t i = 0; i < heat.size(); ++i)
        colours.setColorAt(double(i) / double(heat.size() - 1), heat[i]);
    painter.fillRect(scale, colours);
    write(scale.right() + kKeyGap, after);
}

} // namespace ringside
