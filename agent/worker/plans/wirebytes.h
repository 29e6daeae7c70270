// SPDX-License-Identifier: MIT
// Computes the bytes of a plan on the wire. Pure. Each collective and compression has its formula beside its code.
#pragma once

#include "agent/worker/collectives/traffic.h"
#include "core/protocol/aggregationplan.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside {

/// Bytes that all ranks together send to others while one unit of `gradients` numbers is exchanged, by algorithms that
/// send no more than they must (ring all-reduce: 2 (n-1) times the numbers; all-gather: n (n-1) times a rank's block).
/// `ranksOfNodes` are the ranks on each node that train. With a parameter server both ways are counted: gradients go
/// there compressed, weights come back as they are (so in MXNet: apache/mxnet, docs/faq/gradient_compression.md, “Types
/// of Kvstore”). Shards are compressed one by one: `gradients` is one shard then. `sums` says where a backend sends
/// more than it must.
std::uint64_t wireBytes(const AggregationPlan& plan, std::size_t gradients, std::span<const int> ranksOfNodes,
                        const SumAlgorithms& sums = {});

} // namespace ringside
