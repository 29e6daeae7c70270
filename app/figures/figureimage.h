// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as a picture of pixels.
#pragma once

#include "app/figures/paper.h"
#include "core/report/figuredata.h"

class QImage;

namespace ringside::figures {

inline constexpr int kPngDpi = 600;

/// The picture at `dpi`, white behind: for Copy as image. Null: out of memory. Needs a QGuiApplication.
QImage figureImage(const report::FigureData& figure, const PaperOptions& options, double dpi = kPngDpi);

} // namespace ringside::figures
