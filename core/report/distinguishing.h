// SPDX-License-Identifier: MIT
// What tells the configurations of some runs apart. Pure; any thread.
#pragma once

#include "core/protocol/settings.h"

#include <string>
#include <vector>

namespace ringside::report {

/// The settings in which the runs differ, the place of a run ("site") last, the others in the order of the schema. What
/// follows from others of them, such as the plan "none" from one rank, tells nothing apart and is left out.
std::vector<std::string> distinguishingSettings(const std::vector<const Settings*>& runs);

} // namespace ringside::report
