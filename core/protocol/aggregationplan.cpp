// SPDX-License-Identifier: MIT
#include "core/protocol/aggregationplan.h"

#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"

namespace ringside {

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::int64_t kMaxCycleUs = 10'000'000;
constexpr int kMaxServers = 1'000;
constexpr int kAllPpm = 1'000'000;

void addServers(nlohmann::json& json, const AggregationPlan& plan)
{
    json["servers"] = plan.servers;
    json["asynchronous"] = plan.asynchronous ? 1 : 0;
    json["server_placement"] = nameOf(plan.serverPlacement);
}

void readServers(JsonFields& fields, AggregationPlan& plan)
{
    int asynchronous = 0;
    fields.integer("servers", plan.servers, 1, kMaxServers);
    fields.integer("asynchronous", asynchronous, 0, 1);
    fields.named<ServerPlacement>("server_placement", plan.serverPlacement,
                                  [](auto name) { return valueNamed(name, kServerPlacements); });
    plan.asynchronous = asynchronous != 0;
}

} // namespace

nlohmann::json toJson(const AggregationPlan& plan)
{
    nlohmann::json json = {{"name", plan.name},
                           {"collective", nameOf(plan.collective)},
                           {"grouping", nameOf(plan.grouping)},
                           {"first_bucket_bytes", plan.firstBucketBytes},
                           {"bucket_cap_bytes", plan.bucketCapBytes},
                           {"schedule", nameOf(plan.schedule)}};
    if (plan.grouping == Grouping::fusion) {
        json["fusion_threshold_bytes"] = plan.fusionThresholdBytes;
        json["fusion_cycle_us"] = plan.fusionCycleUs;
    }
    if (plan.schedule == Schedule::priority)
        json["chunk_bytes"] = plan.chunkBytes;
    if (plan.compression != Compression::none)
        json["compression"] = nameOf(plan.compression);
    if (plan.compression == Compression::topk)
        json["topk_ppm"] = plan.topkPpm;
    if (plan.collective == Collective::parameterServer)
        addServers(json, plan);
    return json;
}

Result<AggregationPlan> aggregationPlanFromJson(const nlohmann::json& json)
{
    AggregationPlan plan;
    JsonFields fields(json, "aggregation plan");
    fields.text("name", plan.name, 200);
    fields.named<Collective>("collective", plan.collective, [](auto name) { return valueNamed(name, kCollectives); });
    fields.named<Grouping>("grouping", plan.grouping, [](auto name) { return valueNamed(name, kGroupings); });
    fields.integer<std::uint64_t>("first_bucket_bytes", plan.firstBucketBytes, 1, kMaxBytes);
    fields.integer<std::uint64_t>("bucket_cap_bytes", plan.bucketCapBytes, 1, kMaxBytes);
    fields.named<Schedule>("schedule", plan.schedule, [](auto name) { return valueNamed(name, kSchedules); });
    if (plan.grouping == Grouping::fusion) {
        fields.integer<std::uint64_t>("fusion_threshold_bytes", plan.fusionThresholdBytes, 1, kMaxBytes);
        fields.integer<std::int64_t>("fusion_cycle_us", plan.fusionCycleUs, 0, kMaxCycleUs);
    }
    if (plan.schedule == Schedule::priority)
        fields.integer<std::uint64_t>("chunk_bytes", plan.chunkBytes, 1, kMaxBytes);
    if (fields.has("compression"))
        fields.named<Compression>("compression", plan.compression,
                                  [](auto name) { return valueNamed(name, kCompressions); });
    if (plan.compression == Compression::topk)
        fields.integer("topk_ppm", plan.topkPpm, 1, kAllPpm);
    if (plan.collective == Collective::parameterServer)
        readServers(fields, plan);
    TRY(fields.result());
    return plan;
}

bool needsPlanFormat2(const AggregationPlan& plan)
{
    return plan.compression != Compression::none; // names of other new parts are refused by themselves
}

std::string_view nameOf(Collective collective)
{
    constexpr std::string_view kNames[] = {"none", "allreduce", "hierarchical", "reduce_scatter_allgather",
                                           "parameter_server"};
    return kNames[static_cast<std::size_t>(collective)];
}

std::string_view nameOf(Grouping grouping)
{
    constexpr std::string_view kNames[] = {"one", "per_tensor", "buckets", "fusion", "optimal"};
    return kNames[static_cast<std::size_t>(grouping)];
}

std::string_view nameOf(Schedule schedule)
{
    constexpr std::string_view kNames[] = {"after_backward", "overlapped", "priority"};
    return kNames[static_cast<std::size_t>(schedule)];
}

std::string_view nameOf(Compression compression)
{
    constexpr std::string_view kNames[] = {"none", "fp16", "bf16", "onebit", "topk"};
    return kNames[static_cast<std::size_t>(compression)];
}

std::string_view nameOf(ServerPlacement placement)
{
    return placement == ServerPlacement::shared ? "shared" : "own";
}

} // namespace ringside
