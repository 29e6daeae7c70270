// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels.h"
#include "core/report/ticks.h"

#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

using report::Bar;
using report::Lane;
using report::Lanes;

constexpr double kPhaseRow = pt(6), kLayers = pt(11), kCommunication = pt(8);
constexpr double kRowGap = pt(1);
constexpr double kLaneGap = pt(7);
constexpr double kLabelGap = pt(3);
constexpr double kRightRoom = pt(8);   // half a tick's label
constexpr double kLeastBar = pt(0.15); // a bar may be short, but does not vanish
constexpr double kApart = pt(0.3);     // between buckets, where they are long enough
constexpr double kMostStretch = 2.5;
constexpr int kMostTicks = 8;
constexpr int kShade = 130; // per cent of brightness, of every other layer

template <class Has> bool anyLane(const Lanes& drawing, Has has)
{
    return std::ranges::any_of(drawing.lanes, has);
}

/// The rows that all ranks have, from above.
struct Rows
{
    bool layers, communication;

    explicit Rows(const Lanes& drawing)
        : layers(anyLane(drawing, [](const Lane& lane) { return !lane.layers.empty(); }))
        , communication(anyLane(drawing, [](const Lane& lane) { return !lane.communication.empty(); }))
    {
    }
    double height() const
    {
        return kPhaseRow + (layers ? kRowGap + kLayers : 0) + (communication ? kRowGap + kCommunication : 0);
    }
};

QString rankText(const Lane& lane)
{
    return QStringLiteral("rank %1").arg(lane.rank);
}

bool onSeveralHosts(const Lanes& drawing)
{
    return anyLane(drawing, [&](const Lane& lane) { return lane.host != drawing.lanes.front().host; });
}

double labelRoom(const Lanes& drawing, const Type& type)
{
    const bool severalHosts = onSeveralHosts(drawing);
    double room = 0;
    for (const Lane& lane : drawing.lanes) {
        room = std::max(room, type.width(rankText(lane)));
        if (severalHosts)
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
    LanePanel(const Canvas& canvas, const Lanes& drawing, const QRectF& area)
        : m_canvas(canvas)
        , m_drawing(drawing)
        , m_rows(drawing)
        , m_plot{area, timeScale(drawing.shown), {}}
        , m_pitch(area.height() / static_cast<double>(std::max<std::size_t>(1, drawing.lanes.size())))
        , m_stretch(std::clamp((m_pitch - kLaneGap) / m_rows.height(), 0.2, kMostStretch))
        , m_severalHosts(onSeveralHosts(drawing))
    {
    }

    void draw() const
    {
        drawGrid();
        for (std::size_t i = 0; i < m_drawing.lanes.size(); ++i) {
            const double room = m_pitch - m_rows.height() * m_stretch;
            drawLane(m_drawing.lanes[i], m_plot.area.top() + static_cast<double>(i) * m_pitch + room / 2);
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
            if (const auto box = boxOf(bar, top, kPhaseRow))
                drawPhase(painter(), *box, bar.phase, m_canvas.look());
        placeAll(lane.phases, top, kPhaseRow);
        top += (kPhaseRow + kRowGap) * m_stretch;
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

    /// Neighbours are distinguished by their shade, which needs no room.
    void drawLayers(const Lane& lane, double top) const
    {
        bool plain = false;
        for (const Bar& bar : lane.layers) {
            plain = !plain;
            const auto box = boxOf(bar, top, kLayers);
            if (!box)
                continue;
            const PhaseMark mark = phaseMark(bar.phase);
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
    const Lanes& m_drawing;
    Rows m_rows;
    Plot m_plot;
    double m_pitch, m_stretch;
    bool m_severalHosts;
};

KeyEntry bucketEntry()
{
    return {QStringLiteral("Communication of a bucket"), kSwatch, [](const Canvas& canvas, const QRectF& sample) {
                canvas.painter().fillRect(sample, phaseMark(Phase::commExposed).fill);
            }};
}

/// Layers have the colours of forward and backward.
class LanePainter : public PanelPainter
{
public:
    explicit LanePainter(const Lanes& drawing)
        : m_drawing(drawing)
    {
    }

    std::vector<QString> titles() const override { return std::vector<QString>(m_drawing.isEmpty() ? 0 : 1); }
    PanelFrame frame(const Type& type, double) const override
    {
        PanelFrame frame;
        frame.left = labelRoom(m_drawing, type);
        frame.right = kRightRoom;
        frame.top = pt(1);
        frame.bottom = bottomRoom(type, 1, true);
        return frame;
    }
    double plotHeight() const override
    {
        return (Rows(m_drawing).height() + kLaneGap) * static_cast<double>(m_drawing.lanes.size());
    }
    std::vector<KeyEntry> keyEntries() const override
    {
        std::vector<KeyEntry> entries;
        for (const PhasePart part : partsOf(PhaseSet{}))
            if (anyLane(m_drawing, [&](const Lane& lane) { return isSeen(lane, part); }))
                entries.push_back(phaseEntry(part));
        if (Rows(m_drawing).communication)
            entries.push_back(bucketEntry());
        return entries;
    }
    void draw(const Canvas& canvas, std::size_t, const QRectF& plotArea, const PanelFrame&) const override
    {
        const LanePanel panel(canvas, m_drawing, plotArea);
        panel.draw();
        drawCountAxis(canvas, panel.plot(), qtext(m_drawing.x.title));
    }

private:
    bool isSeen(const Lane& lane, PhasePart part) const
    {
        return std::ranges::any_of(lane.phases, [&](const Bar& bar) {
            return bar.phase == part && bar.length > kSeenShare * m_drawing.whole.length();
        });
    }

    const Lanes& m_drawing;
};

} // namespace

std::unique_ptr<PanelPainter> painterOf(const Lanes& lanes)
{
    return std::make_unique<LanePainter>(lanes);
}

} // namespace ringside::figures
