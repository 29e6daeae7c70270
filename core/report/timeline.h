// SPDX-License-Identifier: MIT
// One iteration of one run as figure data: what each rank's compute thread did, layer by layer, above what it
// communicated. Pure; any thread.
#pragma once

#include "core/base/error.h"
#include "core/report/comparison.h"
#include "core/store/rows.h"

#include <string_view>

namespace ringside::report {

/// The name of its kind.
inline constexpr std::string_view kTimelineName = "timeline";

/// More ranks than this are not drawn; a note says so.
inline constexpr std::size_t kMostLanes = 32;

/// The run that was asked for if it is in n of a group; else the last run of the last group that has any; nullopt: none
/// has.
std::optional<RunId> runForTimeline(const Comparison& comparison, const std::optional<RunId>& asked);

/// Ranks stand on one clock where it is known how far apart theirs are; else each begins at 0 and a note says so.
/// Fails with notFound if the run has no iteration recorded in detail, or not this one.
/// `plan`: with which the run was launched; nullopt: that is not known.
Result<FigureData> timeline(const store::RunRow& run, const store::DetailedIteration& iteration,
                            const std::optional<AggregationPlan>& plan);

} // namespace ringside::report
