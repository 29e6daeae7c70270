// SPDX-License-Identifier: GPL-3.0-or-later
// What `compare` and `figure` show, by the options that both have: worked out as in the window.
#pragma once

#include "app/cli/commands.h"
#include "app/figures/shown.h"

namespace ringside::cli {

/// Fails with usage for what cannot be shown, no rule, or a level that is not there.
Result<ShownRequest> requestOf(const MeasuredExperiment& measured, const CompareOptions& options);

/// Blocking. What the window would refuse is an error here, and so is a factor of the layout that does not vary.
Result<Shown> shownOf(const store::Database& db, const MeasuredExperiment& measured, const ShownRequest& request);

} // namespace ringside::cli
