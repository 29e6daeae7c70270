// SPDX-License-Identifier: MIT
// The factors of a comparison: those that the experiment declares, and what else its runs vary in. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Those of the experiment, with the further levels that logs have.
std::vector<spec::Factor> declaredFactors(const std::vector<Group>& groups, const spec::Experiment& experiment);

/// The factors that vary among these settings of runs beside those that the experiment declares. Sites are never
/// pooled, so they are one where there is more than one. And so is what runs that were imported bring: systems, models
/// and devices that the experiment does not name.
std::vector<spec::Factor> undeclaredFactors(const spec::Experiment& experiment, const std::vector<const Settings*>& all,
                                            bool areSomeImported);

/// Those that vary among these groups. Where that leaves several with the same levels of all, the settings that
/// distinguish these are factors, too.
std::vector<spec::Factor> variedFactors(const std::vector<Group>& groups, const spec::Experiment& experiment);

} // namespace ringside::report
