// SPDX-License-Identifier: MIT
// Survey of the runs of an experiment by their rows alone: how many are in which state, which one is active, and which
// one is next. Pure; any thread.
#pragma once

#include "core/store/rows.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside::store {

/// Returns whether it has not begun, or is to begin again. Without contact each run of a site is unknown: those that
/// had not begun still wait, as far as is known.
bool isWaiting(const RunRow& run);
/// Returns whether it is being carried out, as far as is known: it neither waits nor has ended.
bool isActive(const RunRow& run);

/// Pointers are into the rows that were surveyed; nullptr: there is none.
struct RunSurvey
{
    RunCounts counts;                                 ///< of those that isCounted()
    int disturbed = 0;                                ///< of these; imported ones are not observed
    const RunRow* next = nullptr;                     ///< the first that waits and is not held
    const RunRow* trial = nullptr;                    ///< the newest that was only tried
    std::map<std::string, std::vector<RunId>> failed; ///< of the matrix, by site: they can be tried again
    std::set<std::string> busySites;                  ///< where runs have not ended
};
RunSurvey surveyOf(const std::map<RunId, RunRow>& runs);

/// Returns the active run; of several `preferred`, else the first by number. One that is unknown, since its site does
/// not answer, only where no other is active. nullptr: none is.
const RunRow* activeRun(const std::map<RunId, RunRow>& runs, const RunId& preferred = {});

} // namespace ringside::store
