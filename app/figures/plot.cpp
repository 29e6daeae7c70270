// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/plot.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace ringside::figures {
namespace {

constexpr double kTick = pt(2);
constexpr double kGap = pt(2); ///< between tick and label, label and title
constexpr double kAxisStroke = pt(0.6);
constexpr double kGridStroke = pt(0.4);

double widestLabel(const Type& type, const report::Scale& scale)
{
    double widest = 0;
    for (const report::Tick& tick : scale.ticks)
        widest = std::max(widest, type.width(qtext(tick.text)));
    return widest;
}

void strokeLines(const Canvas& canvas, const QList<QLineF>& lines, const QColor& colour, double width)
{
    QPainterPath path;
    for (const QLineF& line : lines) {
        path.moveTo(line.p1());
        path.lineTo(line.p2());
    }
    canvas.painter().strokePath(path, QPen(colour, width, Qt::SolidLine, Qt::SquareCap));
}

double labelBaseLine(const Canvas& canvas, const Plot& plot)
{
    return plot.area.bottom() + kTick + kGap + canvas.type().capHeight();
}

void drawHorizontalTitle(const Canvas& canvas, const Plot& plot, const QString& title, double lines)
{
    const double baseLine =
        labelBaseLine(canvas, plot) + (lines - 1) * canvas.type().lineHeight() + kGap + canvas.type().lineHeight();
    canvas.text({plot.area.center().x(), baseLine}, Qt::AlignHCenter, title, canvas.look().palette.text);
}

/// Returns whether labels are upright, since a word is wider than the slot.
bool areUpright(const Type& type, const report::Scale& scale, double slot)
{
    return std::ranges::any_of(scale.ticks, [&](const report::Tick& tick) {
        const QStringList words = qtext(tick.text).split(u' ');
        return std::ranges::any_of(words, [&](const QString& word) { return type.width(word) > slot; });
    });
}

void drawBottomLine(const Canvas& canvas, const Plot& plot, bool ticks)
{
    QList<QLineF> lines = {{plot.area.bottomLeft(), plot.area.bottomRight()}};
    if (ticks)
        for (const report::Tick& tick : plot.x.ticks)
            lines << QLineF(plot.xAt(tick.value), plot.area.bottom(), plot.xAt(tick.value), plot.area.bottom() + kTick);
    strokeLines(canvas, lines, canvas.look().palette.axis, kAxisStroke);
}

} // namespace

double leftRoom(const Type& type, const report::Scale& scale, bool title)
{
    return kTick + kGap + widestLabel(type, scale) + (title ? kGap + type.lineHeight() : 0);
}

double bottomRoom(const Type& type, double lines, bool title)
{
    return kTick + kGap + lines * type.lineHeight() + (title ? type.lineHeight() : 0);
}

double labelLines(const Type& type, const report::Scale& scale, double slot)
{
    if (areUpright(type, scale, slot))
        return widestLabel(type, scale) / type.lineHeight();
    qsizetype lines = 1;
    for (const report::Tick& tick : scale.ticks)
        lines = std::max(lines, type.wrapped(qtext(tick.text), slot).size());
    return static_cast<double>(lines);
}

void drawValueGrid(const Canvas& canvas, const Plot& plot)
{
    QList<QLineF> lines;
    for (const report::Tick& tick : plot.y.ticks)
        if (tick.value > plot.y.low)
            lines << QLineF(plot.area.left(), plot.yAt(tick.value), plot.area.right(), plot.yAt(tick.value));
    strokeLines(canvas, lines, canvas.look().palette.grid, kGridStroke);
}

void drawVerticalAxis(const Canvas& canvas, const Plot& plot, const QString& title)
{
    const Type& type = canvas.type();
    QList<QLineF> lines = {{plot.area.topLeft(), plot.area.bottomLeft()}};
    for (const report::Tick& tick : plot.y.ticks) {
        const double y = plot.yAt(tick.value);
        lines << QLineF(plot.area.left() - kTick, y, plot.area.left(), y);
        canvas.text({plot.area.left() - kTick - kGap, y + type.capHeight() / 2}, Qt::AlignRight, qtext(tick.text),
                    canvas.look().palette.text);
    }
    strokeLines(canvas, lines, canvas.look().palette.axis, kAxisStroke);
    const double titleX = plot.area.left() - kTick - kGap - widestLabel(type, plot.y) - kGap - type.lineHeight() * 0.2;
    if (!title.isEmpty())
        canvas.turnedText({titleX, plot.area.center().y()}, -90, title, canvas.look().palette.text);
}

namespace {

constexpr double kLabelsApart = pt(3);

bool haveEqualDistances(const Plot& plot)
{
    const auto& ticks = plot.x.ticks;
    for (std::size_t i = 2; i < ticks.size(); ++i)
        if (std::abs(plot.xAt(ticks[i].value) - 2 * plot.xAt(ticks[i - 1].value) + plot.xAt(ticks[i - 2].value)) > 0.5)
            return false;
    return true;
}

/// Ticks at equal distances have labels at equal distances: the first, and then every so manyth that all fit with.
std::size_t labelStep(const Plot& plot, const Type& type)
{
    const auto& ticks = plot.x.ticks;
    if (ticks.size() < 3 || !haveEqualDistances(plot))
        return 1;
    const double apart = plot.xAt(ticks[1].value) - plot.xAt(ticks[0].value);
    std::size_t step = 1;
    while (step < ticks.size() && static_cast<double>(step) * apart < widestLabel(type, plot.x) + kLabelsApart)
        ++step;
    return step;
}

} // namespace

void drawCountAxis(const Canvas& canvas, const Plot& plot, const QString& title)
{
    drawBottomLine(canvas, plot, true);
    double occupied = -1e9;
    const std::size_t step = labelStep(plot, canvas.type());
    for (std::size_t i = 0; i < plot.x.ticks.size(); i += step) {
        const report::Tick& tick = plot.x.ticks[i];
        const QString label = qtext(tick.text);
        const double half = canvas.type().width(label) / 2;
        const double x = plot.xAt(tick.value);
        if (x - half < occupied + pt(1))
            continue;
        canvas.text({x, labelBaseLine(canvas, plot)}, Qt::AlignHCenter, label, canvas.look().palette.text);
        occupied = x + half;
    }
    if (!title.isEmpty())
        drawHorizontalTitle(canvas, plot, title, 1);
}

namespace {

/// It ends at the axis.
void drawUpright(const Canvas& canvas, const Plot& plot, const report::Tick& tick)
{
    const QString label = qtext(tick.text);
    const double top = plot.area.bottom() + kTick + kGap;
    canvas.turnedText({plot.xAt(tick.value) + canvas.type().capHeight() / 2, top + canvas.type().width(label) / 2}, -90,
                      label, canvas.look().palette.text);
}

void drawWrapped(const Canvas& canvas, const Plot& plot, const report::Tick& tick, double slot)
{
    double baseLine = labelBaseLine(canvas, plot);
    for (const QString& line : canvas.type().wrapped(qtext(tick.text), slot)) {
        canvas.text({plot.xAt(tick.value), baseLine}, Qt::AlignHCenter, line, canvas.look().palette.text);
        baseLine += canvas.type().lineHeight();
    }
}

} // namespace

void drawCategoryAxis(const Canvas& canvas, const Plot& plot, const QString& title)
{
    drawBottomLine(canvas, plot, false);
    const double slot = plot.area.width() / static_cast<double>(std::max<std::size_t>(1, plot.x.ticks.size()));
    const Type& type = canvas.type();
    const bool isUpright = areUpright(type, plot.x, slot);
    for (const report::Tick& tick : plot.x.ticks)
        isUpright ? drawUpright(canvas, plot, tick) : drawWrapped(canvas, plot, tick, slot);
    if (!title.isEmpty())
        drawHorizontalTitle(canvas, plot, title, labelLines(type, plot.x, slot));
}

} // namespace ringside::figures
