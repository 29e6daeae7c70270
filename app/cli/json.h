// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of `runs`, `show`, `plans`, `collect`, `cancel` and `check` (CONTRACTS, "Programs"; the rest: README.md
// beside this).
#pragma once

#include "core/base/error.h"
#include "core/protocol/aggregationplan.h"
#include "core/spec/check.h"
#include "core/store/flagreason.h"
#include "core/store/rows.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

nlohmann::ordered_json toJson(const store::RunRow& run);
nlohmann::ordered_json toJson(const store::AttemptRow& attempt, const store::RunRow& run);
nlohmann::ordered_json toJson(const store::FlagReason& reason);
nlohmann::ordered_json toJson(const store::ExperimentRow& experiment);
nlohmann::ordered_json toJson(const spec::Check& check);
/// The four parts, and of the numbers those that count, named as in plan.json.
nlohmann::ordered_json partsOf(const AggregationPlan& plan);
/// The error and its remedy: {"message", "hint"}; the hint null where there is none.
nlohmann::ordered_json toJson(const Error& error);

} // namespace ringside::cli
