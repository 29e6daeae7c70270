// SPDX-License-Identifier: MIT
#include "core/spec/plannumbers.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/spec/planparts.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace ringside::spec {

namespace {

using Plan = AggregationPlan;

/// Limit of a size: more fits into no memory. Plan files allow more.
constexpr std::int64_t kLargestBytes = std::int64_t{64} << 30;
constexpr std::string_view kBucketLimits = Words::noop("Plan: a bucket must hold from 1 B to 64 GiB.");

constexpr auto kNumbers = std::to_array<PlanNumber>({
    {PlanSize{&Plan::firstBucketBytes}, "first", Words::noop("First bucket"), kBucketLimits},
    {PlanSize{&Plan::bucketCapBytes}, "cap", Words::noop("Other buckets"), kBucketLimits},
    {PlanCount{&Plan::bucketCount}, "count", Words::noop("Buckets"),
     Words::noop("Plan: the number of buckets must be from 1 to 100,000.")},
    {PlanSize{&Plan::fusionThresholdBytes}, "threshold", Words::noop("Threshold"),
     Words::noop("Plan: the fusion threshold must be from 1 B to 64 GiB.")},
    {PlanTime{&Plan::fusionCycleUs}, "cycle", Words::noop("Cycle"),
     Words::noop("Plan: the fusion cycle must be from 0 ms to 10 s.")},
    {PlanSize{&Plan::chunkBytes}, "chunk", Words::noop("Chunk"),
     Words::noop("Plan: a chunk must hold from 1 B to 64 GiB.")},
    {PlanShare{&Plan::topkPpm}, "share", Words::noop("Share that is sent"),
     Words::noop("Plan: the share of the gradients that is sent must be above 0 % and at most 100 %.")},
});

std::string text(std::uint64_t bytes, PlanSize)
{
    return formatSize(bytes);
}

std::string text(std::int64_t microseconds, PlanTime)
{
    return formatCycle(microseconds);
}

std::string text(int count, PlanCount)
{
    return std::to_string(count);
}

std::string text(int ppm, PlanShare)
{
    return formatPercent(ppm);
}

} // namespace

std::span<const PlanNumber> planNumbers()
{
    return kNumbers;
}

std::optional<NumberLimits> limitsOf(const PlanNumber& number, const AggregationPlan& plan)
{
    std::optional<NumberLimits> limits;
    const auto compare = [&]<class Form>(Form form) {
        forEachNumber(plan, [&](const char*, auto member, std::int64_t low, std::int64_t high) {
            if constexpr (std::is_same_v<decltype(member), decltype(Form::member)>)
                if (member == form.member)
                    limits = {low, std::is_same_v<Form, PlanSize> ? kLargestBytes : high};
        });
    };
    std::visit(compare, number.form);
    return limits;
}

bool isPossible(const PlanNumber& number, const AggregationPlan& plan)
{
    const auto limits = limitsOf(number, plan);
    const auto isWithin = [&](auto form) {
        const auto value = plan.*form.member;
        return std::cmp_greater_equal(value, limits->low) && std::cmp_less_equal(value, limits->high);
    };
    return !limits || std::visit(isWithin, number.form);
}

std::string textOf(const PlanNumber& number, const AggregationPlan& plan)
{
    return std::visit([&](auto form) { return text(plan.*form.member, form); }, number.form);
}

} // namespace ringside::spec
