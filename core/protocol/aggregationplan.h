// SPDX-License-Identifier: MIT
// An aggregation plan as data: how the gradients of all ranks are combined. Fully resolved; the worker knows no preset
// names.
#pragma once

#include "core/base/error.h"
#include "core/protocol/plantables.h"
#include "core/protocol/role.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The bucket sizes that DDP uses (torch reducer.hpp: kDefaultFirstBucketBytes, kDefaultBucketBytesCap).
inline constexpr std::uint64_t kDefaultFirstBucketBytes = 1u << 20;
inline constexpr std::uint64_t kDefaultBucketCapBytes = 25u << 20;
/// Horovod's since 0.21 (common/operations.cc:519-536).
inline constexpr std::uint64_t kDefaultFusionThresholdBytes = 128u << 20;
inline constexpr std::int64_t kDefaultFusionCycleUs = 1'000;
/// Caffe-MPI's reduce_buckets (src/caffe/proto/caffe.proto:140).
inline constexpr int kDefaultBucketCount = 6;
inline constexpr std::uint64_t kDefaultChunkBytes = 4u << 20;
/// Limit of buckets or chunks on servers: more than any model has tensors. A message's tag has no room for more.
inline constexpr std::uint32_t kMostServedUnits = 32'000;
/// The same without servers: the times of 150,000 messages are more than a spool's block holds.
inline constexpr std::uint32_t kMostUnits = 100'000;
/// The share that SINGA's sparse all-reduce sends (python/singa/opt.py, spars = 0.05), in millionths.
inline constexpr int kDefaultTopkPpm = 50'000;

struct AggregationPlan
{
    std::string name = "none"; ///< as the experiment calls it
    Collective collective = Collective::none;
    Grouping grouping = Grouping::one;
    std::uint64_t firstBucketBytes = kDefaultFirstBucketBytes; ///< grouping buckets only
    std::uint64_t bucketCapBytes = kDefaultBucketCapBytes;     ///< grouping buckets only
    Schedule schedule = Schedule::afterBackward;
    std::uint64_t fusionThresholdBytes = kDefaultFusionThresholdBytes; ///< grouping fusion only
    std::int64_t fusionCycleUs = kDefaultFusionCycleUs;                ///< grouping fusion only
    std::uint64_t chunkBytes = kDefaultChunkBytes;                     ///< layerwise schedules only
    Compression compression = Compression::none;
    int topkPpm = kDefaultTopkPpm; ///< compression topk only: gradients sent, in millionths of all
    int servers = 1;               ///< parameter server only, as the next three: ranks that gradients are sharded over
    bool serverPerNode = false;    ///< as many as nodes that train: forNodes makes `servers` of it
    bool asynchronous = false;     ///< a worker waits for its own update only
    Placement serverPlacement = Placement::shared;
    int bucketCount = kDefaultBucketCount; ///< grouping equal_buckets only

    bool operator==(const AggregationPlan&) const = default;

    /// Processes beside the ranks that train. Once they do not depend on nodes.
    int serverRanks() const { return collective == Collective::parameterServer ? servers : 0; }
    /// Neighbouring layers, by times that are measured before the first iteration.
    bool mergesLayers() const { return wordsOf(grouping).grouped == Grouped::byTimes; }
    /// Messages are other ones in each iteration.
    bool groupsUnderway() const { return wordsOf(grouping).grouped == Grouped::underway; }
    /// In chunks, for which the next forward pass waits layer by layer.
    bool isLayerwise() const { return wordsOf(schedule).isLayerwise; }
    /// Gradients reach the others changed.
    bool isLossy() const { return compression != Compression::none; }
    /// Workers go on without one another, with gradients of older weights.
    bool isAsynchronous() const { return serverRanks() > 0 && asynchronous; }
    /// Gradients of one big batch, up to the order of additions.
    bool isExact() const { return !isLossy() && !isAsynchronous(); }
};

/// The plan with the servers that it has where so many nodes train.
AggregationPlan forNodes(AggregationPlan plan, int nodes);

/// Returns the processes that it needs beside the ranks. For a plan that forNodes has made.
std::vector<Role> rolesOf(const AggregationPlan& plan);

inline constexpr std::uint64_t kMostPlanBytes = std::uint64_t{1} << 40; ///< of each of its sizes

/// Calls `visit(key, member, low, high)` for the numbers that count for its parts, but for the servers': the key as in
/// JSON, and what they may be. Keys of configurations go by these: a further number of a part that there is would
/// change those of all plans that have it.
template <class Visit> void forEachNumber(const AggregationPlan& plan, const Visit& visit)
{
    using Plan = AggregationPlan;
    if (plan.grouping == Grouping::buckets) {
        visit("first_bucket_bytes", &Plan::firstBucketBytes, 1, kMostPlanBytes);
        visit("bucket_cap_bytes", &Plan::bucketCapBytes, 1, kMostPlanBytes);
    }
    if (plan.grouping == Grouping::fusion) {
        visit("fusion_threshold_bytes", &Plan::fusionThresholdBytes, 1, kMostPlanBytes);
        visit("fusion_cycle_us", &Plan::fusionCycleUs, 0, 10'000'000);
    }
    if (plan.grouping == Grouping::equalBuckets)
        visit("bucket_count", &Plan::bucketCount, 1, 100'000);
    if (plan.isLayerwise())
        visit("chunk_bytes", &Plan::chunkBytes, 1, kMostPlanBytes);
    if (plan.compression == Compression::topk)
        visit("topk_ppm", &Plan::topkPpm, 1, 1'000'000);
}

/// Writes what a plan has beyond its name and the six members of plan.json's first format only where it counts. For a
/// plan that forNodes has made.
nlohmann::json toJson(const AggregationPlan& plan);
Result<AggregationPlan> aggregationPlanFromJson(const nlohmann::json& json);
/// True if a reader of plan.json's first format would mistake it for another plan instead of refusing it.
bool needsPlanFormat2(const AggregationPlan& plan);

/// The plan with defaults in the members that do not count for its parts: two that do the same are equal then.
AggregationPlan onlyWhatCounts(const AggregationPlan& plan);
/// Returns why these parts cannot work together, with what to do instead; nullopt: they can. Numbers are not looked at,
/// but for the servers'. The one rule for the window, the checks and the worker.
std::optional<Error> whyNotComposed(const AggregationPlan& plan);

} // namespace ringside
