// SPDX-License-Identifier: MIT
// The collectives that sum, a file each; summation.cpp has them in a table.
#pragma once

#include "agent/worker/plans/sums/summation.h"

namespace ringside {

extern const SummationKind kAllReduce;
extern const SummationKind kHierarchical;
extern const SummationKind kScatterGather;

/// Where a buffer goes round a ring, and where it goes whole to every rank.
std::uint64_t allReduceBytes(std::uint64_t bytes, std::size_t ranks, const SumAlgorithms& sums);

} // namespace ringside
