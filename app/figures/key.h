// SPDX-License-Identifier: GPL-3.0-or-later
// The key above a figure: samples with names, in as many rows as the width needs. It never covers data.
#pragma once

#include "app/figures/canvas.h"
#include "core/protocol/phase.h"

#include <functional>
#include <vector>

namespace ringside::figures {

struct KeyEntry
{
    QString text;
    double sampleWidth = 0; ///< 0: a line of text without a sample, in a row of its own
    std::function<void(const Canvas&, const QRectF& sample)> draw;
};

// Widths of samples.
inline constexpr double kLineSample = pt(17);
inline constexpr double kSwatch = pt(10);
inline constexpr double kMarkerSample = pt(6);
/// Share of the longest bar: shorter ones are thinner than a hairline in a column of a paper, and have no entry.
inline constexpr double kSeenShare = 0.003;

KeyEntry phaseEntry(PhasePart part);
/// Lines of this width.
std::vector<KeyEntry> remarkEntries(const QString& text, const Type& type, double width);

double keyHeight(const std::vector<KeyEntry>& entries, const Type& type, double width);
void drawKey(const Canvas& canvas, const std::vector<KeyEntry>& entries, const QRectF& area);

} // namespace ringside::figures
