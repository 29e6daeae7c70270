// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of `runs` and `show` (CONTRACTS, "Programs").
#pragma once

#include "core/store/rows.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

nlohmann::ordered_json toJson(const store::RunRow& run);
nlohmann::ordered_json toJson(const store::AttemptRow& attempt);

} // namespace ringside::cli
