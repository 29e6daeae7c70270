// SPDX-License-Identifier: MIT
// Selects what of a comparison is shown, and how it is laid out, in the words of a command line. Pure; any thread.
#pragma once

#include "core/report/figure.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::report {

/// CompareRequest::leftOut of rules such as "plan=horovod". Fails with usage for what is no rule, and for a level that
/// neither the experiment nor one of its runs has.
Result<std::map<std::string, std::vector<Value>>> levelsLeftOut(const std::vector<std::string>& rules,
                                                                const spec::Experiment& experiment,
                                                                const std::vector<store::MeasuredRun>& runs);

/// Fails with usage where the request names a factor that does not vary, or one twice, or wants a series in colour that
/// is not there: layoutFor() passes over all of these.
Result<void> checkLayout(const FigureRequest& request, const Comparison& comparison);

} // namespace ringside::report
