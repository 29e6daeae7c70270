// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels.h"
#include "core/report/ticks.h"

#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

using report::Bar;
using report::FigureData;
using report::Lane;
using report::Panel;

constexpr double kPhases = pt(6), kLayers = pt(11), kCommunication = pt(8);
constexpr double kRowGap = pt(1);
constexpr double kLaneGap = pt(7);
constexpr double kLabelGap = pt(3);
constexpr double kRightRoom = pt(8);   // half a tick's label
constexpr double kLeastBar = pt(0.15); // a bar may be short, but does not vanish
constexpr double kApart = pt(0.3);     // between buckets, where they are long enough
constexpr double kMostStretch = 2.5;
constexpr int kMostTicks = 8;
constexpr int kShade = 130; // per cent of brightness, of every other layer

template <class Has> bool anyLane(const Panel& panel, Has has)
{
    return std::any_of(panel.lanes.begin(), panel.lanes.end(), has);
}

/// What all ranks of a panel have, from above.
struct Rows
{
    bool layers, communication;

    explicit Rows(const Panel& panel)
        : layers(anyLane(panel, [](const Lane& lane) { return !lane.layers.empty(); }))
        , communication(anyLane(panel, [](const Lane& lane) { return !lane.communication.empty(); }))
    {
    }
    double height() const
    {
        return kPhases + (layers ? kRowGap + kLayers : 0) + (communication ? kRowGap + kCommunication : 0);
    }
};

QString rankText(const Lane& lane)
{
    return QStringLiteral("rank %1").arg(lane.rank);
}

bool onSeveralHosts(const Panel& panel)
{
    return anyLane(panel, [&](const Lane& lane) { return lane.host != panel.lanes.front().host; });
}

double labelRoom(const FigureData& figure, const Type& type)
{
    double room = 0;
    for (const Panel& panel : figure.panels)
        for (const Lane& lane : panel.lanes) {
            room = std::max(room, type.width(rankText(lane)));
            if (onSeveralHosts(panel))
                room = std::max(room, type.width(qtext(lane.host)));
        }
    return room + 2 * kLabelGap;
}

report::Scale timeScale(const report::Span& shown)
{
    report::Scale scale{shown.from, std::max(shown.to, shown.from + 1e-6), false, {}};
    const report::Ticks ticks = report::niceTicks(scale.low, scale.high, kMostTicks);
    for (const double value : ticks.values)
        if (value >= scale.low - 1e-9 && value <= scale.high + 1e-9)
            scale.ticks.push_back({value, fmt::format("{:.{}f}", value, ticks.decimals)});
    return scale;
}

class LanePanel
{
public:
    LanePanel(const Canvas& canvas, const FigureData& figure, const Panel& panel, const QRectF& area)
        : m_canvas(canvas)
        , m_panel(panel)
        , m_rows(panel)
        , m_plot{area, timeScale(figure.shown), {}}
        , m_pitch(area.height() / static_cast<double>(std::max<std::size_t>(1, panel.lanes.size())))
        , m_stretch(std::clamp((m_pitch - kLaneGap) / m_rows.height(), 0.2, kMostStretch))
        , m_severalHosts(onSeveralHosts(panel))
    {
    }

    void draw() const
    {
        drawGrid();
        for (std::size_t i = 0; i < m_panel.lanes.size(); ++i) {
            const double room = m_pitch - m_rows.height() * m_stretch;
            drawLane(m_panel.lanes[i], m_plot.area.top() + static_cast<double>(i) * m_pitch + room / 2);
        }
    }

    const Plot& plot() const { return m_plot; }

private:
    QPainter& painter() const { return m_canvas.painter(); }
    const Palette& palette() const { return m_canvas.look().palette; }

    void drawGrid() const
    {
        QPainterPath path;
        for (const report::Tick& tick : m_plot.x.ticks) {
            path.moveTo(m_plot.xAt(tick.value), m_plot.area.top());
            path.lineTo(m_plot.xAt(tick.value), m_plot.area.bottom());
        }
        painter().strokePath(path, QPen(palette().grid, pt(0.4)));
    }

    void drawLane(const Lane& lane, double top) const
    {
        drawLabel(lane, top + m_rows.height() * m_stretch / 2);
        for (const Bar& bar : lane.phases)
            if (const auto box = boxOf(bar, top, kPhases))
                drawPhase(painter(), *box, bar.phase, m_canvas.look());
        placeAll(lane.phases, top, kPhases);
        top += (kPhases + kRowGap) * m_stretch;
        if (m_rows.layers) {
            drawLayers(lane, top);
            placeAll(lane.layers, top, kLayers);
            top += (kLayers + kRowGap) * m_stretch;
        }
        for (const Bar& bar : lane.communication)
            drawBucket(bar, top);
        placeAll(lane.communication, top, kCommunication);
    }

    void drawLabel(const Lane& lane, double middle) const
    {
        const double x = m_plot.area.left() - kLabelGap, half = m_canvas.type().capHeight() / 2;
        const double up = m_severalHosts ? m_canvas.type().lineHeight() / 2 : 0;
        m_canvas.text({x, middle + half - up}, Qt::AlignRight, rankText(lane), palette().text);
        if (m_severalHosts)
            m_canvas.text({x, middle + half + up}, Qt::AlignRight, qtext(lane.host), palette().text2);
    }

    /// The shown part; nullopt: nothing of it.
    std::optional<QRectF> boxOf(const Bar& bar, double top, double height) const
    {
        const double from = std::max(bar.start, m_plot.x.low), to = std::min(bar.end(), m_plot.x.high);
        if (to < from)
            return std::nullopt;
        const double left = m_plot.xAt(from);
        return QRectF(left, top, std::max(m_plot.xAt(to) - left, kLeastBar), height * m_stretch);
    }

    /// Neighbours are told apart by their shade, which needs no room.
    void drawLayers(const Lane& lane, double top) const
    {
        bool plain = false;
        for (const Bar& bar : lane.layers) {
            plain = !plain;
            const auto box = boxOf(bar, top, kLayers);
            if (!box)
                continue;
            const PhaseMark& mark = phaseMark(bar.phase);
            painter().fillRect(*box, plain ? mark.fill : mark.fill.lighter(kShade));
            drawName(bar, *box, plain ? mark.text : phaseMark(Phase::forward).text);
        }
    }

    void drawBucket(const Bar& bar, double top) const
    {
        auto box = boxOf(bar, top, kCommunication);
        if (!box)
            return;
        if (box->width() > 3 * kApart)
            box->setRight(box->right() - kApart);
        painter().fillRect(*box, phaseMark(bar.phase).fill);
        drawName(bar, *box, phaseMark(bar.phase).text);
    }

    void drawName(const Bar& bar, const QRectF& box, const QColor& colour) const
    {
        const QString name = qtext(bar.name);
        const Type& type = m_canvas.type();
        if (type.lineHeight() * 0.75 > box.height() || type.width(name) + kLabelGap > box.width())
            return;
        m_canvas.text({box.center().x(), box.center().y() + type.capHeight() / 2}, Qt::AlignHCenter, name, colour);
    }

    void placeAll(const std::vector<Bar>& bars, double top, double height) const
    {
        for (const Bar& bar : bars)
            if (const auto box = boxOf(bar, top, height))
                m_canvas.place(*box, bar);
    }

    const Canvas& m_canvas;
    const Panel& m_panel;
    Rows m_rows;
    Plot m_plot;
    double m_pitch, m_stretch;
    bool m_severalHosts;
};

} // namespace

double lanePitch(const Panel& panel)
{
    return Rows(panel).height() + kLaneGap;
}

PanelFrame laneFrame(const FigureData& figure, const Type& type)
{
    PanelFrame frame;
    frame.left = labelRoom(figure, type);
    frame.right = kRightRoom;
    frame.top = pt(1);
    frame.bottom = bottomRoom(type, 1, true);
    return frame;
}

void drawLanePanel(const Canvas& canvas, const FigureData& figure, const Panel& panel, const QRectF& plotArea)
{
    const LanePanel drawing(canvas, figure, panel, plotArea);
    drawing.draw();
    drawCountAxis(canvas, drawing.plot(), qtext(figure.x.title));
}

} // namespace ringside::figures
