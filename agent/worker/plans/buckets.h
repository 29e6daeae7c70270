// SPDX-License-Identifier: MIT
// Grouping of gradient tensors into buckets. Pure.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

/// Indices of tensors that are communicated together, in the order in which their gradients become ready.
using TensorGroup = std::vector<std::size_t>;

/// Walks the tensors from last to first, since backward reaches them so, and closes a bucket once it holds its limit:
/// with grouping `buckets` the first at firstBucketBytes, so that communication starts early, the others at
/// bucketCapBytes; with `equal_buckets` all at their share of the bytes. Where messages are put together underway, each
/// tensor is a group. A tensor is never split. `buckets` is where DDP arrives after rebuilding its buckets (torch
/// reducer.cpp, compute_bucket_assignment_by_size).
std::vector<TensorGroup> groupTensors(const AggregationPlan& plan, std::span<const std::uint64_t> tensorBytes);

} // namespace ringside
