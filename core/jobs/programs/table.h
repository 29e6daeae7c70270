// SPDX-License-Identifier: MIT
// All programs that there are. A further one is a file beside this one and an entry in table.cpp.
#pragma once

#include "core/jobs/program.h"

#include <span>

namespace ringside::jobs {

std::span<const Program* const> programs();
/// That of a configuration or run with these settings. Where `engine` is absent, or not known here: Ringside's worker,
/// which says what it does not know.
const Program& programOf(const Settings& settings);

} // namespace ringside::jobs
