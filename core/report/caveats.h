// SPDX-License-Identifier: MIT
// Notes beside every figure of runs that were not measured as others are.
#pragma once

#include "core/report/comparison.h"
#include "core/store/rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

struct Caveat
{
    std::string_view word; ///< "emulated"
    std::string_view what; ///< "layers were paced, not computed"
    bool onAxis = true;    ///< a figure in a paper is soon without key and caption
    bool inPart = false;   ///< it holds for some of what was measured, and no mark says for which
    bool ofBase = false;   ///< it holds for base cases only that are not shown (unshownBases)

    std::string title() const; ///< "emulated", "emulated in part", "emulated base case"
    std::string note() const;  ///< "emulated: layers were paced, not computed"
};

/// Those of any group that has runs, or of an unshown base case, each once; of phases where phases are shown.
std::vector<Caveat> caveatsOf(const Comparison& comparison);
/// Returns those of a timeline of the run, which was launched with this plan; nullopt: that is not known.
std::vector<Caveat> caveatsOf(const store::RunRow& run, const std::optional<AggregationPlan>& plan);

/// "emulated, imported": those of a comparison that hold for the group and not for all that have runs; empty: none
/// does. No † stands behind its names for these.
std::string partMarks(const std::vector<Caveat>& caveats, const Group& group);

/// ", emulated" behind the unit on the axis; empty without caveats.
std::string axisCaveats(const std::vector<Caveat>& caveats);

} // namespace ringside::report
