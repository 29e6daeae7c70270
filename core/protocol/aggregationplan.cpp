// SPDX-License-Identifier: MIT
#include "core/protocol/aggregationplan.h"

#include "core/base/words.h"
#include "core/protocol/jsonfields.h"

namespace ringside {

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::int64_t kMaxCycleUs = 10'000'000;
constexpr int kMaxServers = 1'000;
constexpr int kMaxBuckets = 100'000;
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
    if (fields.has("servers")) // else the plan file has them as a role
        fields.integer("servers", plan.servers, 1, kMaxServers);
    fields.integer("asynchronous", asynchronous, 0, 1);
    if (fields.has("server_placement"))
        fields.named("server_placement", plan.serverPlacement);
    plan.asynchronous = asynchronous != 0;
}

using Objection = std::optional<Error>;

Objection objection(std::string message, std::string hint)
{
    return Error{ErrorCode::usage, std::move(message), std::move(hint)};
}

/// What a message has in it is decided while the backward pass goes on, or for it.
Objection whyNotScheduled(const AggregationPlan& plan)
{
    const bool dynamic = plan.grouping == Grouping::fusion || plan.mergesLayers();
    if (dynamic && plan.schedule != Schedule::overlapped)
        return objection(Words::tr("grouping “{}” merges what is ready while the backward pass goes on; schedule “{}” "
                                   "does not go with it.",
                                   nameOf(plan.grouping), nameOf(plan.schedule)),
                         Words::tr("Use the schedule “overlapped”, or the grouping “buckets”."));
    if (plan.schedule == Schedule::priority && plan.grouping == Grouping::one)
        return objection(Words::tr("schedule “priority” has nothing to put in order where all is one message."),
                         Words::tr("Use the grouping “per_tensor” or “buckets”."));
    return std::nullopt;
}

Objection whyNotServed(const AggregationPlan& plan)
{
    if (plan.collective != Collective::parameterServer)
        return plan.asynchronous ? objection(Words::tr("only a parameter server can update asynchronously."),
                                             Words::tr("Use the collective “parameter_server”."))
                                 : std::nullopt;
    if (plan.servers < 1)
        return objection(Words::tr("a parameter server needs at least 1 server rank."), Words::tr("Use servers = 1."));
    if (plan.mergesLayers())
        return objection(Words::tr("grouping “{}” goes by the cost of an all-reduce, which servers do not do.",
                                   nameOf(plan.grouping)),
                         Words::tr("Use the grouping “per_tensor” or “buckets”."));
    if (plan.grouping == Grouping::fusion)
        return objection(Words::tr("grouping “fusion” goes by what all ranks have ready; servers hear of each rank by "
                                   "itself."),
                         Words::tr("Use the grouping “per_tensor” or “buckets”."));
    if (!plan.asynchronous)
        return std::nullopt;
    if (plan.schedule == Schedule::priority)
        return objection(Words::tr("asynchronous updates do not go with the schedule “priority”."),
                         Words::tr("Use the schedule “overlapped” or “after_backward”."));
    return std::nullopt;
}

Objection whyNotCompressed(const AggregationPlan& plan)
{
    const CompressionWords& compression = wordsOf(plan.compression);
    if (plan.grouping == Grouping::fusion && compression.keepsLosses)
        return objection(Words::tr("grouping “fusion” makes other messages in every iteration; what compression “{}” "
                                   "loses of one cannot be added to the next.",
                                   compression.name),
                         Words::tr("Use the grouping “per_tensor” or “buckets”, or the compression “fp16” or “bf16”."));
    const CollectiveWords& collective = wordsOf(plan.collective);
    const Refusal& refusal = compression.sum == CodeSum::byParts ? collective.toParts : collective.toGathered;
    if (compression.sum == CodeSum::onTheWay || refusal.why.empty())
        return std::nullopt;
    return objection(Words::tr("compression “{}” {}", compression.name, Words::translated(refusal.why)),
                     Words::translated(refusal.hint));
}

} // namespace

AggregationPlan forNodes(AggregationPlan plan, int nodes)
{
    if (plan.serverPerNode)
        plan.servers = nodes;
    plan.serverPerNode = false;
    return plan;
}

std::vector<Role> rolesOf(const AggregationPlan& plan)
{
    if (plan.serverRanks() == 0)
        return {};
    return {{kServerRole, plan.servers, plan.serverPlacement}};
}

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
    if (plan.grouping == Grouping::equalBuckets)
        json["bucket_count"] = plan.bucketCount;
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
    fields.named("collective", plan.collective);
    fields.named("grouping", plan.grouping);
    fields.integer<std::uint64_t>("first_bucket_bytes", plan.firstBucketBytes, 1, kMaxBytes);
    fields.integer<std::uint64_t>("bucket_cap_bytes", plan.bucketCapBytes, 1, kMaxBytes);
    fields.named("schedule", plan.schedule);
    if (plan.grouping == Grouping::fusion) {
        fields.integer<std::uint64_t>("fusion_threshold_bytes", plan.fusionThresholdBytes, 1, kMaxBytes);
        fields.integer<std::int64_t>("fusion_cycle_us", plan.fusionCycleUs, 0, kMaxCycleUs);
    }
    if (plan.grouping == Grouping::equalBuckets)
        fields.integer("bucket_count", plan.bucketCount, 1, kMaxBuckets);
    if (plan.schedule == Schedule::priority)
        fields.integer<std::uint64_t>("chunk_bytes", plan.chunkBytes, 1, kMaxBytes);
    if (fields.has("compression"))
        fields.named("compression", plan.compression);
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

AggregationPlan onlyWhatCounts(const AggregationPlan& plan)
{
    AggregationPlan counted;
    counted.name = plan.name;
    counted.collective = plan.collective;
    if (plan.collective == Collective::none)
        return counted;
    counted.grouping = plan.grouping;
    counted.schedule = plan.schedule;
    counted.compression = plan.compression;
    if (plan.grouping == Grouping::buckets) {
        counted.firstBucketBytes = plan.firstBucketBytes;
        counted.bucketCapBytes = plan.bucketCapBytes;
    } else if (plan.grouping == Grouping::fusion) {
        counted.fusionThresholdBytes = plan.fusionThresholdBytes;
        counted.fusionCycleUs = plan.fusionCycleUs;
    } else if (plan.grouping == Grouping::equalBuckets) {
        counted.bucketCount = plan.bucketCount;
    }
    if (plan.schedule == Schedule::priority)
        counted.chunkBytes = plan.chunkBytes;
    if (plan.compression == Compression::topk)
        counted.topkPpm = plan.topkPpm;
    if (plan.collective == Collective::parameterServer) {
        counted.servers = plan.serverPerNode ? counted.servers : plan.servers;
        counted.serverPerNode = plan.serverPerNode;
        counted.asynchronous = plan.asynchronous;
        counted.serverPlacement = plan.serverPlacement;
    }
    return counted;
}

std::optional<Error> whyNotComposed(const AggregationPlan& plan)
{
    for (const auto why : {whyNotScheduled, whyNotServed, whyNotCompressed})
        if (auto objection = why(plan))
            return objection;
    return std::nullopt;
}

} // namespace ringside
