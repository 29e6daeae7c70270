// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a figure is exported as, and writing them. No widgets; any thread.
#pragma once

#include "app/figures/paper.h"
#include "core/base/files.h"
#include "core/report/comparison.h"

#include <string>
#include <vector>

namespace ringside {

/// What is exported: the figure, what it was computed from, and every run.
struct ExportContent
{
    report::Comparison comparison;
    report::FigureData figure;
    std::vector<store::MeasuredRun> runs;
};

enum class ExportKind
{
    pdf,
    svg,
    png,
    csv,
    runs,
    caption,
    provenance,
    trace ///< of a timeline
};

/// "pdf", "svg", "png", "csv", "runs", "caption", "provenance", "trace".
std::string_view nameOf(ExportKind kind);

struct ExportFile
{
    ExportKind kind;
    std::string name; ///< "fig-speedup.pdf"
    bool standard;    ///< ticked at first
};

/// In the order in which the dialog lists them.
std::vector<ExportFile> exportFiles(report::Show show);

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

/// What was written and what was not; a failure does not stop the others.
struct ExportOutcome
{
    std::vector<fs::path> written;
    std::vector<Error> errors;
};
/// Blocking.
ExportOutcome writeExport(const ExportContent& content, const ExportRequest& request);

} // namespace ringside
