// SPDX-License-Identifier: MIT
#include "core/spec/planparts.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <charconv>

namespace ringside::spec {

namespace {

struct CycleUnit
{
    std::string_view name;
    std::int64_t microseconds;
};
constexpr CycleUnit kCycleUnits[] = {{"s", 1'000'000}, {"ms", 1'000}, {"us", 1}};
constexpr std::int64_t kLongestCount = 1'000'000'000;

/// As it is put: 4,000,000 bytes are no round number of KiB.
std::string sizeWords(std::uint64_t bytes)
{
    constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000;
    if (bytes % kMega == 0)
        return fmt::format("{} MB", bytes / kMega);
    return bytes % kKilo == 0 && bytes % 1024 != 0 ? fmt::format("{} kB", bytes / kKilo) : formatSize(bytes);
}

std::string bucketWords(const AggregationPlan& plan)
{
    const std::string first = sizeWords(plan.firstBucketBytes), cap = sizeWords(plan.bucketCapBytes);
    return first == cap ? Words::tr("buckets of {}", cap) : Words::tr("buckets of {}, then {}", first, cap);
}

std::string groupingWords(const AggregationPlan& plan)
{
    if (plan.grouping == Grouping::buckets)
        return bucketWords(plan);
    if (plan.grouping == Grouping::fusion)
        return Words::tr("fused up to {} every {}", sizeWords(plan.fusionThresholdBytes),
                         formatCycle(plan.fusionCycleUs));
    if (plan.grouping == Grouping::equalBuckets)
        return Words::counted("{} equal buckets", "{} equal bucket", static_cast<std::uint64_t>(plan.bucketCount));
    return Words::translated(wordsOf(plan.grouping).brief);
}

/// Words that go before grouping and schedule; empty for an all-reduce.
std::string collectiveWords(const AggregationPlan& plan)
{
    if (plan.collective != Collective::parameterServer)
        return Words::translated(wordsOf(plan.collective).brief);
    if (plan.serverPerNode)
        return plan.asynchronous ? Words::tr("an asynchronous server per node") : Words::tr("a server per node");
    const auto servers = static_cast<std::uint64_t>(plan.servers);
    return plan.asynchronous ? Words::counted("{} asynchronous servers", "{} asynchronous server", servers)
                             : Words::counted("{} servers", "{} server", servers);
}

std::string compressionWords(const AggregationPlan& plan)
{
    if (plan.compression == Compression::topk)
        return Words::tr("the largest {}", formatPercent(plan.topkPpm));
    return Words::translated(wordsOf(plan.compression).brief);
}

std::string scheduled(const AggregationPlan& plan)
{
    return Words::translated(wordsOf(plan.schedule).brief, groupingWords(plan), sizeWords(plan.chunkBytes));
}

std::string when(const AggregationPlan& plan)
{
    return Words::translated(wordsOf(plan.schedule).clause, groupingWords(plan), sizeWords(plan.chunkBytes));
}

std::string served(const AggregationPlan& plan)
{
    const auto servers = static_cast<std::uint64_t>(plan.servers);
    const bool own = plan.serverPlacement == Placement::own;
    const std::string where = own ? Words::tr("on nodes of their own") : Words::tr("on the workers' nodes");
    if (plan.serverPerNode)
        return plan.asynchronous
                   ? Words::tr("as many server ranks as nodes, {}, update the weights for each worker apart", where)
                   : Words::tr("as many server ranks as nodes, {}, add them up and update the weights", where);
    if (plan.asynchronous)
        return Words::counted("{} server ranks {} update the weights for each worker apart",
                              "{} server rank {} updates the weights for each worker apart", servers, where);
    return Words::counted("{} server ranks {} add them up and update the weights",
                          "{} server rank {} adds them up and updates the weights", servers, where);
}

std::string summed(const AggregationPlan& plan)
{
    if (plan.collective == Collective::parameterServer)
        return served(plan);
    const std::string_view own = wordsOf(plan.compression).summed;
    const bool isReplaced = plan.collective == Collective::allreduce && !own.empty();
    return Words::translated(isReplaced ? own : wordsOf(plan.collective).clause);
}

std::string compressed(const AggregationPlan& plan)
{
    if (plan.compression == Compression::topk)
        return Words::tr("only the largest {} travel, and what is left out is added to the next ones",
                         formatPercent(plan.topkPpm));
    return Words::translated(wordsOf(plan.compression).clause);
}

} // namespace

PlanPart partOf(Placement placement)
{
    if (placement == Placement::own)
        return {nameOf(placement), Words::noop("Own nodes"),
                Words::noop("Server ranks run on nodes of their own, which count as used.")};
    return {nameOf(placement), Words::noop("Workers' nodes"),
            Words::noop("Server ranks run beside the workers and share their nodes.")};
}

std::string describe(const AggregationPlan& plan)
{
    if (plan.collective == Collective::none)
        return Words::tr("no aggregation");
    const std::string collective = collectiveWords(plan), main = scheduled(plan), compression = compressionWords(plan);
    const std::string all = collective.empty() ? main : Words::tr("{}: {}", collective, main);
    return compression.empty() ? all : Words::tr("{}, {}", all, compression);
}

std::string sentenceOf(const AggregationPlan& plan)
{
    if (plan.collective == Collective::none)
        return Words::translated(wordsOf(plan.collective).sentence);
    const std::string compression = compressed(plan);
    if (compression.empty())
        return Words::tr("{}; {}.", when(plan), summed(plan));
    return Words::tr("{}; {}; {}.", when(plan), summed(plan), compression);
}

std::optional<std::int64_t> parseCycle(std::string_view text)
{
    std::int64_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{} || count < 0 || count > kLongestCount)
        return std::nullopt;
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const CycleUnit& known : kCycleUnits)
        if (unit == known.name)
            return count * known.microseconds;
    return std::nullopt;
}

std::string formatCycle(std::int64_t microseconds)
{
    for (const CycleUnit& unit : kCycleUnits)
        if (microseconds >= unit.microseconds && microseconds % unit.microseconds == 0)
            return fmt::format("{} {}", microseconds / unit.microseconds, unit.name);
    return "0 ms";
}

std::string formatPercent(int ppm)
{
    return fmt::format("{} %", ppm / 1e4);
}

} // namespace ringside::spec
