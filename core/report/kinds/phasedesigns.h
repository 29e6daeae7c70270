// SPDX-License-Identifier: MIT
// Shows how far the phases of systems are from those of their design on Ringside's engine (againstdesign.h): in table,
// notes, caption and JSON. English, the language of exports. Pure; any thread.
#pragma once

#include "core/report/layout.h"
#include "core/report/table.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::report {

/// Adds columns behind the last ones, where a row has such a difference: the design, the iteration's difference with
/// its interval, and the same of each phase. A table of which all rows are there.
void addDesigns(Table& table, const Comparison& comparison, const NumberStyle& style);

/// One for each configuration, of the first few: "MXNet against its design (Ringside · mxnet), differences of medians
/// with 95 % intervals: Iteration +23.5 ms (+19.0 to +28.0); Forward -1.91 ms (-2.73 to -1.10)".
std::vector<std::string> designNotes(const Comparison& comparison);

/// The iteration alone, as a sentence with a space before it; empty where there is none.
std::string designSentence(const Comparison& comparison);

/// `design` (its settings), `n`, `differs`, `iteration` and `phases`, each with `value`, `low` and `high`; null where a
/// group has none.
nlohmann::ordered_json designToJson(const Group& group);

} // namespace ringside::report
