// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/key.h"

#include "core/report/names.h"

#include <algorithm>

namespace ringside::figures {
namespace {

using report::FigureData;

constexpr double kLineSample = pt(17);
constexpr double kSwatch = pt(10);
constexpr double kMarkerSample = pt(6);
constexpr double kSampleGap = pt(3); ///< between a sample and its name
constexpr double kEntryGap = pt(9);  ///< between entries
constexpr double kSeenShare = 0.003; ///< of the longest bar: less is thinner than a hairline in a column of a paper

KeyEntry seriesEntry(const report::Series& series, bool lines)
{
    KeyEntry entry{qtext(series.name), lines ? kLineSample : kSwatch, {}};
    entry.draw = [style = series.style, neutral = series.neutral, lines](const Canvas& canvas, const QRectF& sample) {
        const SeriesMark mark = seriesMark(style, neutral, canvas.look().palette);
        if (!lines)
            return drawBar(canvas.painter(), sample, mark, false, canvas.look());
        drawSample(canvas.painter(), sample, mark, neutral, canvas.look());
    };
    return entry;
}

KeyEntry grayEntry(std::size_t count, bool lines)
{
    KeyEntry entry = seriesEntry({{}, report::kSeriesColours, false, {}}, lines);
    entry.text = QStringLiteral("%1 more").arg(count);
    return entry;
}

KeyEntry idealEntry()
{
    return {QStringLiteral("ideal"), kLineSample, [](const Canvas& canvas, const QRectF& sample) {
                drawIdeal(canvas.painter(),
                          {{sample.left(), sample.center().y()}, {sample.right(), sample.center().y()}}, canvas.look());
            }};
}

KeyEntry openEntry(bool lines)
{
    return {QStringLiteral("n < 6, single runs"), lines ? kMarkerSample : kSwatch,
            [lines](const Canvas& canvas, const QRectF& sample) {
                const SeriesMark mark = seriesMark(0, true, canvas.look().palette);
                if (lines)
                    drawMarker(canvas.painter(), sample.center(), mark, true, canvas.look());
                else
                    drawBar(canvas.painter(), sample, mark, true, canvas.look());
            }};
}

KeyEntry phaseEntry(Phase phase)
{
    const std::string_view title = wordsOf(phase).title;
    return {QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())), kSwatch,
            [phase](const Canvas& canvas, const QRectF& sample) {
                drawPhase(canvas.painter(), sample, phase, canvas.look());
            }};
}

KeyEntry hiddenEntry()
{
    return {QString::fromUtf8(report::kHiddenCommunication.data(), report::kHiddenCommunication.size()), kSwatch,
            [](const Canvas& canvas, const QRectF& sample) {
                drawHiddenCommunication(canvas.painter(), sample, canvas.look());
            }};
}

KeyEntry bucketEntry()
{
    return {QStringLiteral("Communication of a bucket"), kSwatch, [](const Canvas& canvas, const QRectF& sample) {
                canvas.painter().fillRect(sample, phaseMark(Phase::commExposed).fill);
            }};
}

/// Layers have the colours of forward and backward.
std::vector<KeyEntry> laneEntries(const FigureData& figure)
{
    std::vector<KeyEntry> entries;
    const auto anyBar = [&](auto bars, auto predicate) {
        return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const report::Panel& panel) {
            return std::any_of(panel.lanes.begin(), panel.lanes.end(), [&](const report::Lane& lane) {
                return std::any_of((lane.*bars).begin(), (lane.*bars).end(), predicate);
            });
        });
    };
    for (const Phase phase : kPhases)
        if (anyBar(&report::Lane::phases, [&](const report::Bar& bar) {
                return bar.phase == phase && bar.length > kSeenShare * figure.whole.length();
            }))
            entries.push_back(phaseEntry(phase));
    if (anyBar(&report::Lane::communication, [](const report::Bar&) { return true; }))
        entries.push_back(bucketEntry());
    return entries;
}

template <class Predicate> bool anyStack(const FigureData& figure, Predicate predicate)
{
    return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const report::Panel& panel) {
        return std::any_of(panel.stacks.begin(), panel.stacks.end(), predicate);
    });
}

/// Phases too short to be seen have no entry: all bars have one scale, that of the longest.
std::vector<KeyEntry> phaseEntries(const FigureData& figure)
{
    std::vector<KeyEntry> entries;
    double longest = 0;
    for (const report::Panel& panel : figure.panels)
        for (const report::Stack& stack : panel.stacks)
            longest = std::max({longest, stack.total, stack.high});
    for (const Phase phase : kPhases) {
        const auto index = static_cast<std::size_t>(phase);
        if (anyStack(figure, [&](const report::Stack& stack) { return stack.phases[index] > kSeenShare * longest; }))
            entries.push_back(phaseEntry(phase));
        if (phase == Phase::commExposed && report::hidesCommunication(figure))
            entries.push_back(hiddenEntry());
    }
    return entries;
}

/// The base case of a ratio is ringed and written out, so it needs no entry.
bool isInKey(const FigureData& figure, const report::Series& series)
{
    return !series.name.empty() && !series.isGray() && !(series.neutral && figure.show != report::Show::throughput);
}

std::vector<KeyEntry> pointEntries(const FigureData& figure)
{
    std::vector<const report::Series*> all;
    bool anyOpen = false;
    for (const report::Panel& panel : figure.panels)
        for (const report::Series& series : panel.series) {
            anyOpen |=
                std::any_of(series.points.begin(), series.points.end(), [](auto& point) { return point.open(); });
            const bool known =
                std::any_of(all.begin(), all.end(), [&](const auto* other) { return other->name == series.name; });
            if (!known && isInKey(figure, series))
                all.push_back(&series);
        }
    std::stable_sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->style < b->style; });
    std::vector<KeyEntry> entries;
    for (const report::Series* series : all)
        entries.push_back(seriesEntry(*series, figure.lines));
    if (const auto gray = report::grayNames(figure); !gray.empty())
        entries.push_back(grayEntry(gray.size(), figure.lines));
    if (figure.ideal)
        entries.push_back(idealEntry());
    if (anyOpen)
        entries.push_back(openEntry(figure.lines));
    return entries;
}

double rowHeight(const Type& type)
{
    return type.lineHeight() * 1.05;
}

bool isRemark(const KeyEntry& entry)
{
    return entry.sampleWidth == 0;
}

std::vector<KeyEntry> samples(const FigureData& figure)
{
    if (figure.show == report::Show::timeline)
        return laneEntries(figure);
    return figure.show == report::Show::phases ? phaseEntries(figure) : pointEntries(figure);
}

double entryWidth(const KeyEntry& entry, const Type& type)
{
    if (isRemark(entry))
        return type.width(entry.text);
    return entry.sampleWidth + kSampleGap + type.width(entry.text);
}

/// Left end and row of each entry.
std::vector<std::pair<double, int>> flow(const std::vector<KeyEntry>& entries, const Type& type, double width)
{
    std::vector<std::pair<double, int>> places;
    double x = 0;
    int row = 0;
    for (const KeyEntry& entry : entries) {
        const double own = entryWidth(entry, type);
        if (x > 0 && (isRemark(entry) || x + own > width)) {
            x = 0;
            ++row;
        }
        places.emplace_back(x, row);
        x += own + kEntryGap;
    }
    return places;
}

} // namespace

std::vector<KeyEntry> keyEntries(const FigureData& figure, const Type& type, double width)
{
    std::vector<KeyEntry> entries = samples(figure);
    for (const QString& line : type.wrapped(qtext(figure.differs), width))
        entries.push_back({line, 0, {}});
    return entries;
}

double keyHeight(const std::vector<KeyEntry>& entries, const Type& type, double width)
{
    if (entries.empty())
        return 0;
    return (flow(entries, type, width).back().second + 1) * rowHeight(type) + pt(3);
}

void drawKey(const Canvas& canvas, const std::vector<KeyEntry>& entries, const QRectF& area)
{
    const Type& type = canvas.type();
    const auto places = flow(entries, type, area.width());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const double left = area.left() + places[i].first;
        const double baseLine = area.top() + places[i].second * rowHeight(type) + type.capHeight() * 1.25;
        const double half = type.capHeight() * 0.5;
        if (isRemark(entries[i])) {
            canvas.text({left, baseLine}, Qt::AlignLeft, entries[i].text, canvas.look().palette.text2);
            continue;
        }
        entries[i].draw(canvas, {left, baseLine - 2 * half, entries[i].sampleWidth, 2 * half});
        canvas.text({left + entries[i].sampleWidth + kSampleGap, baseLine}, Qt::AlignLeft, entries[i].text,
                    canvas.look().palette.text);
    }
}

} // namespace ringside::figures
