// SPDX-License-Identifier: MIT
#include "core/protocol/aggregationplan.h"

#include "core/base/words.h"
#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"

namespace ringside {

namespace {

constexpr int kMaxServers = 1'000;

using Objection = std::optional<Error>;

Objection objection(std::string message, std::string hint)
{
    return Error{ErrorCode::usage, std::move(message), std::move(hint)};
}

/// The content of a message is decided while the backward pass goes on, or for it.
Objection whyNotScheduled(const AggregationPlan& plan)
{
    const bool dynamic = plan.groupsUnderway() || plan.mergesLayers();
    if (dynamic && plan.schedule != Schedule::overlapped)
        return objection(Words::tr("grouping “{}” merges what is ready during the backward pass, and cannot be "
                                   "combined with schedule “{}”.",
                                   nameOf(plan.grouping), nameOf(plan.schedule)),
                         Words::tr("Use the schedule “overlapped”, or the grouping “buckets”."));
    if (plan.isLayerwise() && plan.grouping == Grouping::one)
        return objection(
            Words::tr("schedule “{}” has nothing to put in order where all is one message.", nameOf(plan.schedule)),
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
        return objection(Words::tr("grouping “{}” depends on the cost of an all-reduce, which servers do not do.",
                                   nameOf(plan.grouping)),
                         Words::tr("Use the grouping “per_tensor” or “buckets”."));
    if (plan.groupsUnderway())
        return objection(
            Words::tr("grouping “{}” depends on what all ranks have ready; servers deal with each rank separately.",
                      nameOf(plan.grouping)),
            Words::tr("Use the grouping “per_tensor” or “buckets”."));
    if (!plan.asynchronous)
        return std::nullopt;
    if (plan.isLayerwise())
        return objection(
            Words::tr("asynchronous updates cannot be combined with the schedule “{}”.", nameOf(plan.schedule)),
            Words::tr("Use the schedule “overlapped” or “after_backward”."));
    return std::nullopt;
}

Objection whyNotCompressed(const AggregationPlan& plan)
{
    const CompressionWords& compression = wordsOf(plan.compression);
    if (plan.groupsUnderway() && compression.keepsLosses)
        return objection(Words::tr("grouping “{}” makes other messages in every iteration; what compression “{}” "
                                   "loses of one cannot be added to the next.",
                                   nameOf(plan.grouping), compression.name),
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

void membersOf(auto& json, Either<AggregationPlan> auto& plan)
{
    json.text("name", plan.name, 200);
    json.named("collective", plan.collective);
    json.named("grouping", plan.grouping);
    json.integer("first_bucket_bytes", plan.firstBucketBytes, 1, kMostPlanBytes); // whatever the grouping
    json.integer("bucket_cap_bytes", plan.bucketCapBytes, 1, kMostPlanBytes);
    json.named("schedule", plan.schedule);
    if (json.has("compression", plan.compression != Compression::none))
        json.named("compression", plan.compression);
    forEachNumber(
        plan, [&](const char* key, auto member, auto low, auto high) { json.integer(key, plan.*member, low, high); });
    if (plan.collective != Collective::parameterServer)
        return;
    if (json.has("servers", true)) // else the plan file has them as a role
        json.integer("servers", plan.servers, 1, kMaxServers);
    json.bit("asynchronous", plan.asynchronous);
    if (json.has("server_placement", true))
        json.named("server_placement", plan.serverPlacement);
}

nlohmann::json toJson(const AggregationPlan& plan)
{
    return JsonMembers::of(plan);
}

Result<AggregationPlan> aggregationPlanFromJson(const nlohmann::json& json)
{
    return fromMembers<AggregationPlan>(json, "aggregation plan");
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
    forEachNumber(plan, [&](const char*, auto member, auto, auto) { counted.*member = plan.*member; });
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
