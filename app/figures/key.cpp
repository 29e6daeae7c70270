// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/key.h"

namespace ringside::figures {
namespace {

constexpr double kSampleGap = pt(3); ///< between a sample and its name
constexpr double kEntryGap = pt(9);  ///< between entries

double rowHeight(const Type& type)
{
    return type.lineHeight() * 1.05;
}

bool isRemark(const KeyEntry& entry)
{
    return entry.sampleWidth == 0;
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

KeyEntry phaseEntry(PhasePart part)
{
    const std::string_view title = wordsOf(part).title;
    return {QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())), kSwatch,
            [part](const Canvas& canvas, const QRectF& sample) {
                drawPhase(canvas.painter(), sample, part, canvas.look());
            }};
}

std::vector<KeyEntry> remarkEntries(const QString& text, const Type& type, double width)
{
    std::vector<KeyEntry> entries;
    for (const QString& line : type.wrapped(text, width))
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
