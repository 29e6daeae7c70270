// SPDX-License-Identifier: MIT
// The sentences of a figure: title, key note, caption, spoken summary, notes. English, the language of exports.
#pragma once

#include "core/report/layout.h"

namespace ringside::report {

/// "a", "a and b", "a, b and c".
std::string enumerate(const std::vector<std::string>& words);
/// "buckets and 2 more"; of none it is not to be asked.
std::string firstAndCount(const std::vector<std::string>& words);

/// "Phases of the iteration." of "phases of the iteration": a first letter of ASCII becomes a capital.
std::string sentenceOf(std::string note);

/// At most so many bytes, an ellipsis at the end of what is cut; characters stay whole.
std::string cutText(const std::string& text, std::size_t mostBytes);

/// "1 run", "2 runs".
std::string counted(int count, std::string_view singular, std::string_view plural);

/// "base case: 1 CPU rank, 302.4 images/s, n = 6"; nullopt of what is no ratio, and without a base case.
std::optional<std::string> baseText(const Comparison& comparison, const std::vector<const Group*>& groups);

/// "n = 6", or "n = 4–6": how many finished runs the groups have that have any.
std::string runsText(const Comparison& comparison);
/// "n = 6; 1-bit · 16: n = 4"; of many exceptions only the range.
std::string runsInWords(const Comparison& comparison);

/// "parameter servers (1 and 2) are not counted as ranks"; empty where no run had any.
std::string serversText(const Comparison& comparison);

/// Says what was trained, and by which system, where that is one for all: "AlexNet and ResNet-50 with Horovod". For an
/// experiment without models it is the name.
std::string subjectOf(const Comparison& comparison);
/// `what`, and by which system, as subjectOf().
std::string withSystem(const std::string& what, const Comparison& comparison);

/// Labels of the levels of a setting that occur among the groups, in their order.
std::vector<std::string> occurringLevels(const Comparison& comparison, std::string_view key);

/// Fills title, keyNote, differs, caption, spoken and notes, and says on the axis what was emulated; everything else is
/// in place.
void addWords(const Comparison& comparison, const Layout& layout, FigureData& figure);

/// The single parts, for addWords(). `drawn` has only the groups with something to show, or all where none has.
std::string captionOf(const Comparison& comparison, const Comparison& drawn, const FigureData& figure);
std::string spokenOf(const Comparison& comparison, const Layout& layout, const FigureData& figure);
std::vector<std::string> notesOf(const Comparison& comparison);

} // namespace ringside::report
