// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a figure is exported as, and writing them. No widgets; any thread.
#pragma once

#include "app/figures/exportcontent.h"
#include "app/figures/paper.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <string>
#include <vector>

namespace ringside {

namespace figures {
struct Format; // formats/format.h
}

struct ExportFile
{
    const figures::Format* format;
    std::string name; ///< "fig-speedup.pdf"
};

/// In the order in which the dialog lists them.
std::vector<ExportFile> exportFiles(const report::FigureData& figure);

struct ExportRequest
{
    fs::path folder; ///< made if it is missing, and what it lies in is there
    std::vector<ExportFile> files;
    figures::PaperOptions paper;
    std::string caption;
    bool replace = false; ///< else, if one of them exists, all get the same number: fig-speedup-2.pdf
};

/// Those of the files that are there already. Blocking.
std::vector<std::string> existingFiles(const ExportRequest& request);

/// Files that were written and errors of the others; a failure does not stop the others.
struct ExportOutcome
{
    std::vector<fs::path> written;
    std::vector<Error> errors;
};
/// Blocking.
ExportOutcome writeExport(const ExportContent& content, const ExportRequest& request);

} // namespace ringside
