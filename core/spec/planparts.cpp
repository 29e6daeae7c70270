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

template <class Part, std::size_t N> PlanPart chosen(Part part, const PlanPart (&parts)[N])
{
    PlanPart found = parts[static_cast<std::size_t>(part)];
    found.name = nameOf(part);
    return found;
}

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
    switch (plan.grouping) {
    case Grouping::one:
        break;
    case Grouping::perTensor:
        return Words::tr("a message per tensor");
    case Grouping::buckets:
        return bucketWords(plan);
    case Grouping::fusion:
        return Words::tr("fused up to {} every {}", sizeWords(plan.fusionThresholdBytes),
                         formatCycle(plan.fusionCycleUs));
    case Grouping::optimal:
        return Words::tr("merged where that saves time");
    case Grouping::merged:
        return Words::tr("merged by MG-WFBP's rule");
    case Grouping::equalBuckets:
        return Words::counted("{} equal buckets", "{} equal bucket", static_cast<std::uint64_t>(plan.bucketCount));
    }
    return Words::tr("one message");
}

/// What goes before grouping and schedule; empty for an all-reduce.
std::string collectiveWords(const AggregationPlan& plan)
{
    switch (plan.collective) {
    case Collective::none:
    case Collective::allreduce:
        return {};
    case Collective::hierarchical:
        return Words::tr("hierarchical");
    case Collective::reduceScatterAllgather:
        return Words::tr("reduce-scatter and all-gather");
    case Collective::parameterServer:
        break;
    }
    if (plan.serverPerNode)
        return plan.asynchronous ? Words::tr("an asynchronous server per node") : Words::tr("a server per node");
    const auto servers = static_cast<std::uint64_t>(plan.servers);
    return plan.asynchronous ? Words::counted("{} asynchronous servers", "{} asynchronous server", servers)
                             : Words::counted("{} servers", "{} server", servers);
}

std::string compressionWords(const AggregationPlan& plan)
{
    switch (plan.compression) {
    case Compression::none:
        return {};
    case Compression::fp16:
    case Compression::bf16:
        return Words::tr("as {}", nameOf(plan.compression));
    case Compression::onebit:
        return Words::tr("as 1 bit");
    case Compression::topk:
        break;
    }
    return Words::tr("the largest {}", formatPercent(plan.topkPpm));
}

std::string scheduled(const AggregationPlan& plan)
{
    const std::string grouping = groupingWords(plan);
    switch (plan.schedule) {
    case Schedule::afterBackward:
        return Words::tr("{}, after backward", grouping);
    case Schedule::overlapped:
        return Words::tr("{}, overlapped with backward", grouping);
    case Schedule::priority:
        break;
    }
    return Words::tr("{}, front layers first in chunks of {}", grouping, sizeWords(plan.chunkBytes));
}

std::string when(const AggregationPlan& plan)
{
    const std::string what = groupingWords(plan);
    switch (plan.schedule) {
    case Schedule::afterBackward:
        return Words::tr("Gradients are sent when the backward pass is over ({})", what);
    case Schedule::overlapped:
        return Words::tr("Gradients are sent while the backward pass goes on ({})", what);
    case Schedule::priority:
        break;
    }
    return Words::tr("Gradients are sent in chunks of {}, those of the front layers first ({})",
                     sizeWords(plan.chunkBytes), what);
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

/// Codes cannot be added up on the way: these two have ways of their own.
std::string allReduced(Compression compression)
{
    if (compression == Compression::onebit)
        return Words::tr("each rank adds up one part of what all send it, and sends the sum to all");
    if (compression == Compression::topk)
        return Words::tr("all ranks gather what each sends, with its places, and add it up");
    return Words::tr("all ranks add them up in an all-reduce");
}

std::string summed(const AggregationPlan& plan)
{
    switch (plan.collective) {
    case Collective::none:
    case Collective::allreduce:
        break;
    case Collective::hierarchical:
        return Words::tr("they are added up inside each node, then between the nodes");
    case Collective::reduceScatterAllgather:
        return Words::tr("each rank adds up its part, then all gather the parts");
    case Collective::parameterServer:
        return served(plan);
    }
    return allReduced(plan.compression);
}

std::string compressed(const AggregationPlan& plan)
{
    switch (plan.compression) {
    case Compression::none:
        return {};
    case Compression::fp16:
    case Compression::bf16:
        return Words::tr("they travel as {}", nameOf(plan.compression));
    case Compression::onebit:
        return Words::tr("they travel as one bit each, and what that loses is added to the next ones");
    case Compression::topk:
        break;
    }
    return Words::tr("only the largest {} travel, and what is left out is added to the next ones",
                     formatPercent(plan.topkPpm));
}

} // namespace

PlanPart partOf(Collective collective)
{
    static const PlanPart kParts[] = {
        {{}, Words::noop("None"), Words::noop("Nothing is combined: there is one rank.")},
        {{}, Words::noop("All-reduce"), Words::noop("All ranks add the gradients up, and all have the sum.")},
        {{},
         Words::noop("Hierarchical"),
         Words::noop("Gradients are added up inside each node, then between the nodes, and handed out inside.")},
        {{},
         Words::noop("Reduce-scatter and all-gather"),
         Words::noop("Each rank adds up one part of the gradients; then all gather the parts.")},
        {{},
         Words::noop("Parameter server"),
         Words::noop("Server ranks add the gradients up, apply the optimizer and send the weights back.")}};
    static_assert(std::size(kParts) == std::size(kCollectives));
    return chosen(collective, kParts);
}

PlanPart partOf(Grouping grouping)
{
    static const PlanPart kParts[] = {
        {{}, Words::noop("One message"), Words::noop("All gradients travel together.")},
        {{}, Words::noop("Per tensor"), Words::noop("Each gradient tensor is a message.")},
        {{},
         Words::noop("Buckets"),
         Words::noop("A small first bucket, so that sending starts early; then larger ones.")},
        {{},
         Words::noop("Fusion"),
         Words::noop("Once a cycle, what all ranks have ready travels together, up to a threshold.")},
        {{},
         Words::noop("Optimal"),
         Words::noop("Neighbours are merged where that shortens the iteration, by measured times.")},
        {{}, Words::noop("Equal buckets"), Words::noop("As many buckets as said, of about the same size.")},
        {{},
         Words::noop("Merged by rule"),
         Words::noop("Neighbouring layers travel together by MG-WFBP's rule, which decides one layer after the "
                     "other.")}};
    static_assert(std::size(kParts) == std::size(kGroupings));
    return chosen(grouping, kParts);
}

PlanPart partOf(Schedule schedule)
{
    static const PlanPart kParts[] = {
        {{}, Words::noop("After backward"), Words::noop("Nothing is sent before the backward pass is over.")},
        {{}, Words::noop("Overlapped"), Words::noop("A message is sent as soon as its gradients are there.")},
        {{},
         Words::noop("Priority"),
         Words::noop("Messages travel in chunks, and the front layers overtake: the next forward pass needs them "
                     "first.")}};
    static_assert(std::size(kParts) == std::size(kSchedules));
    return chosen(schedule, kParts);
}

PlanPart partOf(Compression compression)
{
    static const PlanPart kParts[] = {
        {{}, Words::noop("None"), Words::noop("Gradients travel as they are, in 32 bits.")},
        {{}, "fp16", Words::noop("Gradients travel in half precision: 16 bits, little range.")},
        {{}, "bf16", Words::noop("Gradients travel as bfloat16: 16 bits, the range of 32.")},
        {{},
         Words::noop("1 bit"),
         Words::noop("Signs and two means travel; what is lost is added to the next gradients.")},
        {{},
         Words::noop("Top-k"),
         Words::noop("Only the largest gradients travel; what is left out is added to the next ones.")}};
    static_assert(std::size(kParts) == std::size(kCompressions));
    return chosen(compression, kParts);
}

PlanPart partOf(Placement placement)
{
    static const PlanPart kParts[] = {
        {{}, Words::noop("Workers' nodes"), Words::noop("Server ranks run beside the workers and share their nodes.")},
        {{}, Words::noop("Own nodes"), Words::noop("Server ranks run on nodes of their own, which count as used.")}};
    return chosen(placement, kParts);
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
        return Words::tr("Nothing is combined: there is one rank.");
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
