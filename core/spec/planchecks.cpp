// SPDX-License-Identifier: MIT
#include "core/spec/planchecks.h"

#include "core/base/text.h"
#include "core/spec/plans.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

namespace ringside::spec {

namespace {

constexpr std::uint64_t kLargestBytes = std::uint64_t{64} << 30;
constexpr std::int64_t kLongestCycleUs = 10'000'000;
constexpr int kMostBuckets = 100'000;
constexpr int kMostServers = 1'000;
constexpr int kAllPpm = 1'000'000;

class PlanChecker
{
public:
    PlanChecker(const std::string& name, const AggregationPlan& plan)
        : m_name(name)
        , m_plan(plan)
    {
    }

    std::vector<Check> check()
    {
        checkName();
        if (m_plan.collective == Collective::none)
            block("none", Words::tr("Plan: {} combines nothing.", inQuotes(m_name)),
                  Words::tr("Use the collective “allreduce”."));
        else if (const auto why = whyNotComposed(m_plan))
            block("", Words::tr("Plan {}: {}", inQuotes(m_name), why->message), why->hint);
        checkGroupingNumbers();
        checkOtherNumbers();
        return std::move(m_checks);
    }

private:
    void block(std::string value, std::string message, std::string hint = {})
    {
        m_checks.push_back(
            {Severity::blocking, "plans." + m_name, std::move(value), 0, 0, std::move(message), std::move(hint)});
    }

    void checkName()
    {
        if (m_name == kNoPlan)
            block(m_name, Words::tr("Plan: “none” is what a single rank has and cannot be changed."),
                  Words::tr("Choose another name."));
        if (m_name == kOwnPlan)
            block(m_name, Words::tr("Plan: “own” is the way of a system that aggregates by itself."),
                  Words::tr("Choose another name."));
        if (m_name.empty() || m_plan.name != m_name)
            block(m_name, Words::tr("The plan needs a name of its own."), Words::tr("Write [plans.name]."));
    }

    static bool isSize(std::uint64_t bytes) { return bytes >= 1 && bytes <= kLargestBytes; }

    void checkGroupingNumbers()
    {
        if (m_plan.grouping == Grouping::buckets)
            for (const std::uint64_t bytes : {m_plan.firstBucketBytes, m_plan.bucketCapBytes})
                if (!isSize(bytes))
                    block(formatSize(bytes), Words::tr("Plan: a bucket must hold from 1 B to 64 GiB."));
        if (m_plan.grouping == Grouping::equalBuckets && (m_plan.bucketCount < 1 || m_plan.bucketCount > kMostBuckets))
            block(std::to_string(m_plan.bucketCount),
                  Words::tr("Plan: the number of buckets must be from 1 to 100,000."));
        if (m_plan.grouping != Grouping::fusion)
            return;
        if (const std::uint64_t bytes = m_plan.fusionThresholdBytes; !isSize(bytes))
            block(formatSize(bytes), Words::tr("Plan: the fusion threshold must be from 1 B to 64 GiB."));
        if (const std::int64_t cycle = m_plan.fusionCycleUs; cycle < 0 || cycle > kLongestCycleUs)
            block(formatCycle(cycle), Words::tr("Plan: the fusion cycle must be from 0 ms to 10 s."));
    }

    void checkOtherNumbers()
    {
        if (const std::uint64_t bytes = m_plan.chunkBytes; m_plan.isLayerwise() && !isSize(bytes))
            block(formatSize(bytes), Words::tr("Plan: a chunk must hold from 1 B to 64 GiB."));
        if (m_plan.compression == Compression::topk && (m_plan.topkPpm < 1 || m_plan.topkPpm > kAllPpm))
            block(formatPercent(m_plan.topkPpm),
                  Words::tr("Plan: the share of the gradients that is sent must be above 0 % and at most 100 %."));
        if (m_plan.serverRanks() > kMostServers)
            block(std::to_string(m_plan.servers),
                  Words::tr("Plan: the number of server ranks must be from 1 to 1,000."));
    }

    const std::string& m_name;
    const AggregationPlan& m_plan;
    std::vector<Check> m_checks;
};

} // namespace

std::vector<Check> checkPlan(const std::string& name, const AggregationPlan& plan)
{
    return PlanChecker(name, plan).check();
}

} // namespace ringside::spec
