// SPDX-License-Identifier: MIT
// The compressions, a file each; compression.cpp has them in a table.
#pragma once

#include "agent/worker/plans/compressions/compression.h"

namespace ringside {

extern const CompressionKind kUncompressed;
extern const CompressionKind kFp16;
extern const CompressionKind kBf16;
extern const CompressionKind kOneBit;
extern const CompressionKind kTopK;

/// Of the plan's collective, where so many bytes of each number are summed as they are.
std::uint64_t sumBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers, std::size_t bytesOfNumber);

} // namespace ringside
