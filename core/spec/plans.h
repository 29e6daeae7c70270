// SPDX-License-Identifier: MIT
// The built-in aggregation plans, and those that an experiment defines.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/spec/experiment.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// The plan of a single rank: nothing to aggregate. Cannot be redefined.
inline constexpr const char* kNoPlan = "none";
/// The plan where an experiment names none: what PyTorch DDP does.
inline constexpr const char* kStandardPlan = "buckets";

struct BuiltInPlan
{
    AggregationPlan plan;         ///< plan.name is its name in files
    std::string_view description; ///< one sentence for people, English; Words::translated() shows it
};

/// one, one-overlapped, buckets, buckets-after, none. Safe from any thread.
const std::vector<BuiltInPlan>& builtInPlans();
const BuiltInPlan* findBuiltInPlan(std::string_view name);

/// The experiment's own plan of that name, else the built-in one.
std::optional<AggregationPlan> planNamed(const Experiment& experiment, std::string_view name);
/// Names that may stand as levels of `plan`: built-in ones first, without "none".
std::vector<std::string> planNames(const Experiment& experiment);

/// "one message after backward", "buckets of 1 MiB, then 25 MiB, overlapped with backward".
std::string describe(const AggregationPlan& plan);

} // namespace ringside::spec
