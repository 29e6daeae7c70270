// SPDX-License-Identifier: GPL-3.0-or-later
// The key above a figure: samples with names, in as many rows as the width needs. It never covers data.
#pragma once

#include "app/figures/canvas.h"
#include "core/report/figuredata.h"

#include <functional>
#include <vector>

namespace ringside::figures {

struct KeyEntry
{
    QString text;
    double sampleWidth = 0; ///< 0: a line of text without a sample, in a row of its own
    std::function<void(const Canvas&, const QRectF& sample)> draw;
};

/// What the figure needs: series and phases in use, the ideal line, open marks; then, in lines of this width, what its
/// base case differs in besides factors.
std::vector<KeyEntry> keyEntries(const report::FigureData& figure, const Type& type, double width);

double keyHeight(const std::vector<KeyEntry>& entries, const Type& type, double width);
void drawKey(const Canvas& canvas, const std::vector<KeyEntry>& entries, const QRectF& area);

} // namespace ringside::figures
