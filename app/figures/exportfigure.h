// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as a file. The content is complete before the file appears under its name: it is written beside it and
// renamed.
#pragma once

#include "app/figures/exportcontent.h"
#include "app/figures/paper.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <string>

namespace ringside::figures {

struct Format; // formats/format.h

/// In the format of `path`'s extension, of those that need the figure only (formats/format.h). Blocking; needs a
/// QGuiApplication. Fails with usage (another extension), permission, noSpace, notFound (no such folder) or io.
Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperOptions& options);
Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperSize& size = {});
/// The same in this format, whatever the extension.
Result<void> exportAs(const Format& format, const ExportContent& content, const PaperOptions& paper,
                      const std::string& caption, const fs::path& path);

} // namespace ringside::figures
