// SPDX-License-Identifier: MIT
// Assigns parts of the weights to servers. Pure.
//
// A unit goes whole to the server that holds the least so far, in the order of the units: TensorFlow's
// GreedyLoadBalancingStrategy by bytes, as tf_cnn_benchmarks places variables (tensorflow/benchmarks:
// scripts/tf_cnn_benchmarks/variable_mgr.py, VariableMgrDistributedFetchFromPS). A large one is cut evenly over all
// servers, or most of AlexNet would be on one: MXNet's rule, with its bound (apache/mxnet: src/kvstore/kvstore_dist.h,
// EncodeDefaultKey; MXNET_KVSTORE_BIGARRAY_BOUND = 1,000,000 elements).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ringside {

/// Units of as many numbers or more are cut.
inline constexpr std::size_t kCutNumbers = 1'000'000;

/// The part of a unit that one server holds.
struct Shard
{
    int server = 0; ///< from 0
    std::size_t first = 0;
    std::size_t count = 0;
    bool operator==(const Shard&) const = default;
};

/// The shards of each unit, which add up to it and are not empty; at most one a server, in the order of the servers.
/// `numbers` is by unit.
std::vector<std::vector<Shard>> shardsOf(std::span<const std::size_t> numbers, int servers);

} // namespace ringside
