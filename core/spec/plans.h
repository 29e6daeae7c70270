// SPDX-License-Identifier: MIT
// The built-in aggregation plans, and those that an experiment defines.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/spec/experiment.h"
#include "core/spec/planparts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// The plan of a single rank: nothing to aggregate. Cannot be redefined.
inline constexpr const char* kNoPlan = "none";
/// The plan where an experiment names none: what PyTorch DDP does.
inline constexpr const char* kStandardPlan = "buckets";

/// Place where the system that a preset comes from says something about it.
struct PlanSource
{
    std::string_view what;  ///< English; Words::translated() shows it: "fusion threshold"
    std::string_view value; ///< as written there: "128 MiB"; may be empty
    std::string_view where; ///< repository, file and line, or document
};

struct BuiltInPlan
{
    AggregationPlan plan;                 ///< plan.name is its name in files
    std::string_view description;         ///< one sentence for people, English; Words::translated() shows it
    std::vector<PlanSource> sources = {}; ///< empty for Ringside's own
    std::string_view differs = {};        ///< what the original does otherwise, English; empty: nothing that counts
};

/// Ringside's own (one, one-overlapped, buckets, buckets-after), then presets of known systems, then none. Safe from
/// any thread.
const std::vector<BuiltInPlan>& builtInPlans();
const BuiltInPlan* findBuiltInPlan(std::string_view name);

/// The experiment's own plan of that name, else the built-in one.
std::optional<AggregationPlan> planNamed(const Experiment& experiment, std::string_view name);
/// Returns the aggregation plan of a configuration with these settings: the one that they name, on as many nodes as
/// they say.
std::optional<AggregationPlan> planOf(const Experiment& experiment, const Settings& settings);
/// Names that may be levels of `plan`: built-in ones first, without "none".
std::vector<std::string> planNames(const Experiment& experiment);

} // namespace ringside::spec
