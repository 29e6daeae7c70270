// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a figure is exported as. Each format is a file in this folder and a row in the table of formats.cpp;
// the dialog and the command line offer what is there, in its order. Immutable; any thread.
#pragma once

#include "app/figures/exportcontent.h"
#include "app/figures/paper.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::figures {

struct Format
{
    std::string_view name; ///< as command lines have it: "pdf"
    std::string_view file; ///< "fig-{}.pdf", where {} is the kind of the figure; "caption.txt"
    bool isTicked;         ///< at first, in the dialog
    bool needsFigureOnly;  ///< so that its extension alone asks for it
    bool (*fits)(const report::FigureData& figure);
    std::string (*remark)(const ExportContent& content); ///< in the user's language: "vector"
    /// nullopt: out of memory. Those that draw need a QGuiApplication. `caption` as the user wants it.
    std::optional<std::string> (*make)(const ExportContent& content, const PaperOptions& paper,
                                       const std::string& caption);
};

/// For help: "pdf, svg, …"; or ".pdf, .svg, …", of those that need the figure only.
std::string formatNames();
std::string formatExtensions();

/// Those for this figure.
std::vector<const Format*> formatsFor(const report::FigureData& figure);

/// For tables of formats.
bool fitsAll(const report::FigureData& figure);

} // namespace ringside::figures
