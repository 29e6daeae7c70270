// SPDX-License-Identifier: MIT
// Checks that a user's own script is there, and is started with the settings in which its runs differ. Internal to
// core/spec.
#pragma once

#include "core/spec/resolve.h"
#include "core/spec/validate.h"

namespace ringside::spec {

/// Checks one resolved configuration of a system; without a script it must have no arguments either. Findings' `field`
/// is the key of the setting to change.
std::vector<Check> checkScript(const Settings& resolved, const SiteLimits& site);

/// Models and batches that differ between runs of one script, which is started by the same words for all of them.
/// `field` as above.
std::vector<Check> checkScriptsDiffer(const std::vector<Cell>& cells);

} // namespace ringside::spec
