// SPDX-License-Identifier: MIT
// The [plans.NAME] tables of the experiment file. Reading is internal to core/spec.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/spec/tomltext.h"

#include <string>

namespace ringside::spec {

class TomlReader;
struct TomlField;

/// Reads a plan. A part that it does not state comes from the built-in plan that `based_on` names, else from that of
/// its own name, else from `one`; for a part that is stated by its bare word, the numbers too. Findings go to `reader`.
AggregationPlan readPlan(TomlReader& reader, const TomlField& table, const std::string& name);

/// The lines of its table: reading them yields the same plan, less what does not count.
TomlLines planLines(const AggregationPlan& plan);

} // namespace ringside::spec
