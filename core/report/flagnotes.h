// SPDX-License-Identifier: MIT
// Notes below a comparison about the flags of its runs. English, the language of exports. Pure; any thread.
#pragma once

#include "core/report/comparison.h"
#include "core/store/rows.h"

#include <string>
#include <vector>

namespace ringside::report {

/// "disturbed 2, short 6": which flags finished runs of a group bear, and how many of them. Not what holds for all runs
/// of a plan, or of an experiment that is emulated: marks say that.
std::string flagsText(const Group& group);

/// The same of all groups, with those that are not in n: "disturbed 2 (1 left out), short 6".
std::string flagsText(const Comparison& comparison);

/// One for each flag that a run in the groups shown bears: "2 runs were disturbed and kept". Marks (marks.h) say what
/// was emulated.
std::vector<std::string> flagNotes(const Comparison& comparison);

/// The same of the base cases that are not shown (unshownBases), with their failed attempts: "of the base case: 6
/// attempts failed and 2 runs were disturbed and kept"; empty where there is nothing to say of them.
std::string baseNote(const Comparison& comparison);
/// In brief: "of the base case: 6 attempts failed, disturbed 2".
std::string briefBaseNote(const Comparison& comparison);

/// The same of one run: "the run was disturbed". Not that it was short, which says nothing of one of its iterations.
std::vector<std::string> flagNotes(const store::RunRow& run);

/// Says how to count finished runs that were left out for their flags (Group::leftOut): "count them with --keep-nan".
/// nullopt if none was.
std::optional<std::string> wayToCount(const Comparison& comparison, const std::map<std::string, int>& leftOut);

/// For figures in which nothing is in n although runs are finished: how many they are, why they are left out, and what
/// to do about it, in the user's language. nullopt where none is finished, or some are in n.
std::optional<Error> whyAllLeftOut(const Comparison& comparison);

/// One for each group whose result depends on its disturbed runs (Group::otherwise); one for all that have no other, if
/// there are more than two.
std::vector<std::string> disturbedNotes(const Comparison& comparison);

} // namespace ringside::report
