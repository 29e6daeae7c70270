// SPDX-License-Identifier: MIT
// Sets imported runs beside the experiment's own: what differs, as far as their logs show it. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

#include <string>

namespace ringside::report {

/// Returns whether any run of the group was imported.
bool isImported(const Group& group);

/// "precision not told" by a log, "without layout" of an engine that does not know it: stands for the level of a
/// setting that a group does not have.
std::string absentText(const Group& group, const std::string& key);

/// Returns the settings in which two groups differ beside the factors. One that is not in a log is no difference.
spec::Differences settingsThatDiffer(const spec::Experiment& experiment, const Group& base, const Group& group);

/// Fills Group::differsFromOwn of the imported groups. Each stands beside the experiment's own groups that have the
/// same levels of the comparison's factors, as far as both engines know these.
void addDifferencesFromOwn(Comparison& comparison, const spec::Experiment& experiment);

/// "batch per rank (imported: 32; own: 8, 16)"; empty if nothing differs.
std::string importedDifferencesText(const Comparison& comparison);
/// "batch per rank and precision".
std::string importedDifferingNames(const Comparison& comparison);

/// Returns whether the settings state a batch, per rank or in all; those of a log may not.
bool tellsBatch(const Settings& settings);
/// Returns whether imported runs with these settings were measured whose logs do not state a batch, so that nothing can
/// be set against them.
bool isBatchUntold(const Comparison& comparison, const Settings& where);
/// "batch not told for imported runs", "batch not told for some imported runs"; empty where all of them tell theirs.
std::string untoldBatchText(const Comparison& comparison);

} // namespace ringside::report
