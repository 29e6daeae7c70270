// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as a file. The content is complete before the file appears under its name: it is written beside it and
// renamed.
#pragma once

#include "app/figures/paper.h"
#include "core/base/files.h"
#include "core/report/figuredata.h"

class QImage;

namespace ringside::figures {

inline constexpr int kPngDpi = 600;

/// By the extension of `path`: .pdf (fonts embedded), .svg, .png (600 dpi), .csv (plotted values), and of a timeline
/// .json (a trace, see core/report/trace.h). Blocking; needs a
/// QGuiApplication. Fails with usage (another extension), permission, noSpace, notFound (no such folder) or io.
Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperOptions& options);
Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperSize& size = {});

/// The picture at `dpi`, white behind: for Copy as image.
QImage figureImage(const report::FigureData& figure, const PaperOptions& options, double dpi = kPngDpi);

} // namespace ringside::figures
