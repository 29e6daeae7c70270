// SPDX-License-Identifier: MIT
#include "core/report/linkfigure.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/report/figurewords.h"
#include "core/report/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::report {

namespace {

constexpr double kTickFactor = 8;
constexpr double kTickRoom = 2; // a tick nearer to the last one would lie under its label
constexpr int kSolid = 6;       // a median over repetitions is no single run, which is drawn open

const char* nameOfLevel(LinkLevel level)
{
    switch (level) {
    case LinkLevel::node:
        return "inside a node";
    case LinkLevel::nodes:
        return "between nodes";
    case LinkLevel::all:
        break;
    }
    return "all ranks";
}

/// Most sizes are powers of two; the last is a round number of megabytes.
std::string sizeText(double bytes)
{
    const auto whole = static_cast<std::uint64_t>(bytes);
    return whole % 1024 == 0 && whole % 1'000'000 != 0 ? formatSize(whole) : humanBytes(whole);
}

double valueOf(const LinkCost& link, const MessageTime& message, LinkMeasure measure)
{
    return measure == LinkMeasure::time ? message.seconds * 1e6 : busBandwidth(link.ranks, message) / 1e9;
}

Series seriesOf(const LinkCost& link, LinkMeasure measure)
{
    Series series;
    series.name = fmt::format("{}{}{}", nameOfLevel(link.level), link.inGpuMemory ? ", GPU memory" : "",
                              link.areMeans ? ", means over ranks" : "");
    series.style = static_cast<int>(link.level);
    for (const MessageTime& message : link.times) {
        Point point;
        point.x = static_cast<double>(message.bytes);
        point.y = valueOf(link, message, measure);
        point.n = kSolid;
        series.points.push_back(point);
    }
    return series;
}

constexpr std::array kLevels{LinkLevel::node, LinkLevel::nodes, LinkLevel::all};

void addLines(Points::Panel& panel, const Calibration& calibration, LinkMeasure measure)
{
    for (const LinkLevel level : kLevels) {
        const LinkCost* link = calibration.link(level, LinkOperation::allReduce);
        if (link && !link->times.empty())
            panel.series.push_back(seriesOf(*link, measure));
    }
}

/// In the styles that no level has; those for which none is left are not drawn. Returns what the key says of them.
std::string addImported(Points::Panel& panel, std::span<const ImportedLinks> imported, LinkMeasure measure)
{
    const int first = static_cast<int>(kLevels.size());
    int style = first;
    const std::size_t own = panel.series.size();
    for (const ImportedLinks& each : imported) {
        const std::size_t before = panel.series.size();
        addLines(panel, each.calibration, measure);
        for (std::size_t added = before; added < panel.series.size(); ++added) {
            Series& series = panel.series[added];
            series.style = style++;
            series.name = fmt::format("{}, {}, imported: {}", series.name,
                                      counted(each.calibration.ranks, "rank", "ranks"), plainText(each.from));
        }
    }
    if (style == first)
        return {};
    const std::string note = "imported: read from a table, not measured by Ringside";
    if (style <= kSeriesColours)
        return note;
    panel.series.resize(own + static_cast<std::size_t>(kSeriesColours - first));
    return fmt::format("{} · the newest {} of {} imported are drawn", note, kSeriesColours - first, style - first);
}

std::vector<double> ticksFor(const Points::Panel& panel)
{
    double least = INFINITY, most = 0;
    for (const Series& series : panel.series)
        for (const Point& point : series.points) {
            least = std::min(least, point.x);
            most = std::max(most, point.x);
        }
    std::vector<double> ticks;
    for (double tick = least; tick * kTickRoom < most; tick *= kTickFactor)
        ticks.push_back(tick);
    if (most > 0)
        ticks.push_back(most);
    return ticks;
}

std::string spokenOf(const Points::Panel& panel, LinkMeasure measure)
{
    const auto spoken = [&](const Series& series) {
        const Point& last = series.points.back();
        return fmt::format("{}: {} {} for {}", series.name, formatShort(last.y),
                           measure == LinkMeasure::time ? "µs" : "GB/s", sizeText(last.x));
    };
    return panel.series.empty() ? "No all-reduce was measured."
                                : "All-reduce " + joined(panel.series, "; ", spoken) + ".";
}

} // namespace

double busBandwidth(int ranks, const MessageTime& message)
{
    if (ranks < 2 || !(message.seconds > 0))
        return 0;
    const double share = 2.0 * (ranks - 1) / ranks;
    return share * static_cast<double>(message.bytes) / message.seconds;
}

FigureData linkFigure(const Calibration& calibration, LinkMeasure measure, std::span<const ImportedLinks> beside)
{
    Points points;
    points.lines = true;
    points.x.title = "Message (log scale)";
    points.x.log2 = true;
    points.y.log2 = measure == LinkMeasure::time;
    points.y.title = measure == LinkMeasure::time ? "Time (µs, log scale)" : "Bus bandwidth (GB/s)";
    Points::Panel& panel = points.panels.emplace_back();
    addLines(panel, calibration, measure);
    const std::string keyNote = addImported(panel, beside, measure);
    points.x.ticks = ticksFor(panel);
    std::ranges::transform(points.x.ticks, std::back_inserter(points.x.labels), sizeText);
    FigureData figure;
    figure.title = "All-reduce over message size";
    figure.spoken = spokenOf(panel, measure);
    figure.keyNote = keyNote;
    figure.drawing = std::move(points);
    return figure;
}

} // namespace ringside::report
