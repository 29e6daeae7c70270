// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of `runs`, `show`, `collect`, `cancel` and `check` (CONTRACTS, "Programs").
#pragma once

#include "core/spec/check.h"
#include "core/store/rows.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

nlohmann::ordered_json toJson(const store::RunRow& run);
nlohmann::ordered_json toJson(const store::AttemptRow& attempt);
nlohmann::ordered_json toJson(const store::ExperimentRow& experiment);
nlohmann::ordered_json toJson(const spec::Check& check);

} // namespace ringside::cli
