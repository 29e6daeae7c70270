// SPDX-License-Identifier: MIT
// An aggregation plan as data: how the gradients of all ranks are combined. Fully resolved; the worker knows no preset
// names.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ringside {

enum class Collective
{
    none,
    allreduce
};
enum class Grouping
{
    one,
    buckets
};
enum class Schedule
{
    afterBackward,
    overlapped
};

/// The bucket sizes that DDP uses (torch reducer.hpp: kDefaultFirstBucketBytes, kDefaultBucketBytesCap).
inline constexpr std::uint64_t kDefaultFirstBucketBytes = 1u << 20;
inline constexpr std::uint64_t kDefaultBucketCapBytes = 25u << 20;

struct AggregationPlan
{
    std::string name = "none"; ///< as the experiment calls it
    Collective collective = Collective::none;
    Grouping grouping = Grouping::one;
    std::uint64_t firstBucketBytes = kDefaultFirstBucketBytes; ///< grouping buckets only
    std::uint64_t bucketCapBytes = kDefaultBucketCapBytes;     ///< grouping buckets only
    Schedule schedule = Schedule::afterBackward;

    bool operator==(const AggregationPlan&) const = default;
};

nlohmann::json toJson(const AggregationPlan& plan);
Result<AggregationPlan> aggregationPlanFromJson(const nlohmann::json& json);

/// Names as in experiment files: "allreduce", "buckets", "after_backward".
std::string_view nameOf(Collective collective);
std::string_view nameOf(Grouping grouping);
std::string_view nameOf(Schedule schedule);

} // namespace ringside
