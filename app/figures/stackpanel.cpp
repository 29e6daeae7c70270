// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels.h"
#include "core/report/names.h"
#include "core/report/numbers.h"

#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

using report::Stack;
using report::Stacks;

constexpr double kBar = pt(10);
constexpr double kStripGap = pt(1.2); ///< between a stack and its strip
constexpr double kStrip = pt(4);
constexpr double kPitch = kBar + kStripGap + kStrip + pt(4);
constexpr double kGap = pt(3);

double valueOf(const Stack& stack, Phase phase)
{
    return stack.phases[static_cast<std::size_t>(phase)];
}

/// The text at the end of a stack; parts in the order in which they are written.
struct EndText
{
    QString total, exposed, runs;
};

EndText endText(const Stack& stack)
{
    EndText text;
    text.total = qtext(report::formatShort(stack.total));
    if (valueOf(stack, Phase::commExposed) > 0.001 * stack.total)
        text.exposed = QStringLiteral("exposed ") + qtext(report::formatShort(valueOf(stack, Phase::commExposed)));
    if (stack.n < 6)
        text.runs = QStringLiteral("n = %1").arg(stack.n);
    return text;
}

double endWidth(const Stack& stack, const Type& type)
{
    const EndText text = endText(stack);
    double width = type.width(text.total, Weight::bold);
    for (const QString& part : {text.exposed, text.runs})
        if (!part.isEmpty())
            width += kGap + type.width(part);
    return width;
}

/// Room of the widest label.
double labelRoom(const Stacks& drawing, const Type& type)
{
    double room = 0;
    for (const Stacks::Panel& panel : drawing.panels)
        for (const Stack& stack : panel.stacks)
            room = std::max(room, type.width(qtext(stack.tick)) + 2 * kGap);
    return room;
}

class StackPanel
{
public:
    StackPanel(const Canvas& canvas, const Stacks::Panel& panel, const QRectF& area)
        : m_canvas(canvas)
        , m_panel(panel)
        , m_plot{area, report::valueScale(panel), {}}
    {
    }

    void draw() const
    {
        drawGrid();
        const double pitch = m_plot.area.height() / static_cast<double>(m_panel.stacks.size());
        for (std::size_t i = 0; i < m_panel.stacks.size(); ++i) {
            const double top =
                m_plot.area.top() + static_cast<double>(i) * pitch + (pitch - kBar - kStripGap - kStrip) / 2;
            drawStack(m_panel.stacks[i], top);
        }
        drawLeftLine();
    }

    void drawTitle(const QString& title, double labels) const
    {
        m_canvas.turnedText(
            {m_plot.area.left() - labels - m_canvas.type().lineHeight() * 0.2, m_plot.area.center().y()}, -90, title,
            look().palette.text);
    }

    const Plot& plot() const { return m_plot; }

private:
    QPainter& painter() const { return m_canvas.painter(); }
    const Look& look() const { return m_canvas.look(); }

    void drawGrid() const
    {
        QPainterPath path;
        for (const report::Tick& tick : m_plot.x.ticks) {
            path.moveTo(m_plot.xAt(tick.value), m_plot.area.top());
            path.lineTo(m_plot.xAt(tick.value), m_plot.area.bottom());
        }
        painter().strokePath(path, QPen(look().palette.grid, pt(0.4)));
    }

    void drawLeftLine() const
    {
        QPainterPath path;
        path.moveTo(m_plot.area.topLeft());
        path.lineTo(m_plot.area.bottomLeft());
        painter().strokePath(path, QPen(look().palette.axis, pt(0.6), Qt::SolidLine, Qt::SquareCap));
    }

    double baseLine(double top) const { return top + kBar / 2 + m_canvas.type().capHeight() / 2; }

    void drawStack(const Stack& stack, double top) const
    {
        m_canvas.text({m_plot.area.left() - kGap, baseLine(top)}, Qt::AlignRight, qtext(stack.tick),
                      look().palette.text);
        double from = 0;
        for (const Phase phase : kPhases) {
            const double to = from + valueOf(stack, phase);
            drawSegment(stack, partOf(phase, stack.told),
                        {QPointF(m_plot.xAt(from), top), QPointF(m_plot.xAt(to), top + kBar)});
            if (phase == Phase::backward && stack.hiddenCommunication)
                drawStrip(*stack.hiddenCommunication, to, top + kBar + kStripGap);
            from = to;
        }
        m_canvas.place({QPointF(m_plot.xAt(0), top), QPointF(m_plot.xAt(from), top + kBar)}, stack.runs);
        drawEnd(stack, top);
    }

    void drawSegment(const Stack& stack, PhasePart part, const QRectF& box) const
    {
        if (box.width() < pt(0.1))
            return;
        drawPhase(painter(), box, part, look());
        const QString number = qtext(report::formatShort(valueOf(stack, part.phase)));
        const bool isPlain = part == Phase::forward || part == Phase::backward;
        const auto [left, right] = besideWhisker(stack, box);
        if (isPlain && m_canvas.type().width(number) + kGap < right - left)
            m_canvas.text({(left + right) / 2, baseLine(box.top())}, Qt::AlignHCenter, number, phaseMark(part).text);
    }

    /// The larger part of a segment, left or right, that the whisker leaves free: it runs where numbers are.
    std::pair<double, double> besideWhisker(const Stack& stack, const QRectF& box) const
    {
        const double from = m_plot.xAt(stack.low) - kGap, to = m_plot.xAt(stack.high) + kGap;
        if (stack.high <= stack.low || to < box.left() || from > box.right())
            return {box.left(), box.right()};
        if (from - box.left() >= box.right() - to)
            return {box.left(), from};
        return {to, box.right()};
    }

    /// Ends where backward ends: what is hidden lies under it and is no part of the length.
    void drawStrip(double hidden, double backwardEnd, double top) const
    {
        const double from = std::max(0.0, backwardEnd - hidden);
        const QRectF strip(QPointF(m_plot.xAt(from), top), QPointF(m_plot.xAt(backwardEnd), top + kStrip));
        if (strip.width() >= pt(0.8))
            drawHiddenCommunication(painter(), strip, look());
    }

    void drawEnd(const Stack& stack, double top) const
    {
        if (stack.high > stack.low)
            drawInterval(painter(), {m_plot.xAt(stack.low), top + kBar / 2}, {m_plot.xAt(stack.high), top + kBar / 2},
                         look().palette.text, look());
        const EndText text = endText(stack);
        const Type& type = m_canvas.type();
        double x = m_plot.xAt(std::max(stack.high, stack.total)) + kGap;
        m_canvas.text({x, baseLine(top)}, Qt::AlignLeft, text.total, look().palette.text, Weight::bold);
        x += type.width(text.total, Weight::bold) + kGap;
        m_canvas.text({x, baseLine(top)}, Qt::AlignLeft, text.exposed, look().palette.text2);
        x += text.exposed.isEmpty() ? 0 : type.width(text.exposed) + kGap;
        m_canvas.text({x, baseLine(top)}, Qt::AlignLeft, text.runs, look().palette.warning);
    }

    const Canvas& m_canvas;
    const Stacks::Panel& m_panel;
    Plot m_plot;
};

KeyEntry hiddenEntry()
{
    return {QString::fromUtf8(report::kHiddenCommunication.data(), report::kHiddenCommunication.size()), kSwatch,
            [](const Canvas& canvas, const QRectF& sample) {
                drawHiddenCommunication(canvas.painter(), sample, canvas.look());
            }};
}

class StackPainter : public PanelPainter
{
public:
    explicit StackPainter(const Stacks& drawing)
        : m_drawing(drawing)
    {
    }

    std::vector<QString> titles() const override { return titlesOf(m_drawing.panels); }
    PanelFrame frame(const Type& type, double) const override
    {
        PanelFrame frame;
        frame.left = labelRoom(m_drawing, type) + (m_drawing.y.title.empty() ? 0 : type.lineHeight());
        for (const Stacks::Panel& panel : m_drawing.panels)
            for (const Stack& stack : panel.stacks)
                frame.right = std::max(frame.right, endWidth(stack, type) + 2 * kGap);
        frame.top = m_drawing.panels.size() > 1 ? type.lineHeight() * 1.15 : pt(1);
        frame.bottom = bottomRoom(type, 1, true);
        return frame;
    }
    double plotHeight() const override
    {
        std::size_t most = 1;
        for (const Stacks::Panel& panel : m_drawing.panels)
            most = std::max(most, panel.stacks.size());
        return kPitch * static_cast<double>(most);
    }
    std::vector<KeyEntry> keyEntries() const override
    {
        std::vector<KeyEntry> entries;
        for (const PhasePart part : partsOf(report::toldByAll(m_drawing))) {
            if (isSeen(part))
                entries.push_back(phaseEntry(part));
            if (part == Phase::commExposed && report::hidesCommunication(m_drawing))
                entries.push_back(hiddenEntry());
        }
        return entries;
    }
    void draw(const Canvas& canvas, std::size_t panel, const QRectF& plotArea, const PanelFrame&) const override
    {
        const StackPanel drawing(canvas, m_drawing.panels[panel], plotArea);
        drawing.draw();
        drawing.drawTitle(qtext(m_drawing.y.title), labelRoom(m_drawing, canvas.type()));
        drawCountAxis(canvas, drawing.plot(), qtext(m_drawing.x.title));
    }

private:
    bool isSeen(PhasePart part) const
    {
        return std::ranges::any_of(m_drawing.panels,
                                   [part](const Stacks::Panel& panel) { return isSeenIn(panel, part); });
    }

    /// All bars of a panel have one scale, that of its longest.
    static bool isSeenIn(const Stacks::Panel& panel, PhasePart part)
    {
        double longest = 0, longestOfPart = 0;
        for (const Stack& stack : panel.stacks) {
            longest = std::max({longest, stack.total, stack.high});
            if (hasPart(stack.told, part))
                longestOfPart = std::max(longestOfPart, valueOf(stack, part.phase));
        }
        return longestOfPart > kSeenShare * longest;
    }

    const Stacks& m_drawing;
};

} // namespace

std::unique_ptr<PanelPainter> painterOf(const Stacks& stacks)
{
    return std::make_unique<StackPainter>(stacks);
}

} // namespace ringside::figures
