// SPDX-License-Identifier: MIT
#include "core/protocol/aggregationplan.h"

#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"

namespace ringside {

namespace {

constexpr Collective kCollectives[] = {Collective::none, Collective::allreduce};
constexpr Grouping kGroupings[] = {Grouping::one, Grouping::buckets};
constexpr Schedule kSchedules[] = {Schedule::afterBackward, Schedule::overlapped};
constexpr std::uint64_t kMaxBucketBytes = std::uint64_t{1} << 40;

} // namespace

nlohmann::json toJson(const AggregationPlan& plan)
{
    return {{"name", plan.name},
            {"collective", nameOf(plan.collective)},
            {"grouping", nameOf(plan.grouping)},
            {"first_bucket_bytes", plan.firstBucketBytes},
            {"bucket_cap_bytes", plan.bucketCapBytes},
            {"schedule", nameOf(plan.schedule)}};
}

Result<AggregationPlan> aggregationPlanFromJson(const nlohmann::json& json)
{
    AggregationPlan plan;
    JsonFields fields(json, "aggregation plan");
    fields.text("name", plan.name, 200);
    fields.named<Collective>("collective", plan.collective, [](auto name) { return valueNamed(name, kCollectives); });
    fields.named<Grouping>("grouping", plan.grouping, [](auto name) { return valueNamed(name, kGroupings); });
    fields.integer<std::uint64_t>("first_bucket_bytes", plan.firstBucketBytes, 1, kMaxBucketBytes);
    fields.integer<std::uint64_t>("bucket_cap_bytes", plan.bucketCapBytes, 1, kMaxBucketBytes);
    fields.named<Schedule>("schedule", plan.schedule, [](auto name) { return valueNamed(name, kSchedules); });
    TRY(fields.result());
    return plan;
}

std::string_view nameOf(Collective collective)
{
    return collective == Collective::none ? "none" : "allreduce";
}
std::string_view nameOf(Grouping grouping)
{
    return grouping == Grouping::one ? "one" : "buckets";
}
std::string_view nameOf(Schedule schedule)
{
    return schedule == Schedule::afterBackward ? "after_backward" : "overlapped";
}

} // namespace ringside
