// SPDX-License-Identifier: MIT
// Finds the settings that distinguish the configurations of some runs. Pure; any thread.
#pragma once

#include "core/protocol/settings.h"

#include <string>
#include <vector>

namespace ringside::report {

/// The settings in which the runs differ, the place of a run ("site") last, the others in the order of the schema. A
/// setting that follows from others of them, such as the plan "none" from one rank, distinguishes nothing and is left
/// out.
std::vector<std::string> distinguishingSettings(const std::vector<const Settings*>& runs);

/// The same for names of runs in a list: the engine is among them wherever it varies, also where models or
/// ranks happen to distinguish the runs without it.
std::vector<std::string> namingSettings(const std::vector<const Settings*>& runs);

} // namespace ringside::report
