// SPDX-License-Identifier: MIT
// The parts that a plan is put together from, in tables: whatever names, lists, explains, refuses or reckons with them
// is made from these. A text that has a number of its own part in it is in core/spec/planparts.cpp.
#pragma once

#include "core/base/words.h"
#include "core/protocol/names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace ringside {

/// The messages that sum gradients.
enum class Collective
{
    none,
    allreduce,
    hierarchical,           ///< reduced inside each node, all-reduced between the nodes, broadcast inside
    reduceScatterAllgather, ///< each rank sums a part, then all gather the parts
    parameterServer         ///< server ranks sum, apply the optimizer and send weights back
};
/// Gradients that travel together.
enum class Grouping
{
    one,
    perTensor,
    buckets, ///< fixed from the start: the first small, the others up to a cap
    fusion,  ///< once a cycle, what all ranks have ready, up to a threshold
    optimal, ///< merged where that shortens the iteration, by measured layer times and the fitted cost of a message
    equalBuckets, ///< the given number, of about the same size: a bucket is full at its share of all bytes
    merged        ///< as `optimal`, by the rule of MG-WFBP's authors, which decides one layer after the other
};
/// The time of its messages.
enum class Schedule
{
    afterBackward,
    overlapped,
    priority ///< in chunks, those of the front layers first, since the next forward pass needs them first
};
/// Moment at which it is known which gradients travel together.
enum class Grouped
{
    byPlan,  ///< the plan and the model say it
    byTimes, ///< before the first iteration, by measured times of layers (core/model/mergerule.h)
    underway ///< in each iteration, by what all ranks have ready
};
/// The form in which gradients travel.
enum class Compression
{
    none,
    fp16,
    bf16,
    onebit, ///< signs and two means; what is lost is added to the next gradient
    topk    ///< the largest ones and where they stand; what is left out is added to the next gradient
};

/// The way in which codes are added up.
enum class CodeSum
{
    onTheWay, ///< as numbers, by any collective
    byParts,  ///< no numbers: each rank receives all codes of a part, adds them up and sends a code of the sum to all
    gathered  ///< no numbers, nor parts that match: every rank receives all codes and adds them up
};

/// Reason why a collective does not go with codes that are no numbers; empty where it does.
struct Refusal
{
    std::string_view why; ///< ends a sentence about a compression: "compression “topk” …"
    std::string_view hint;
};

inline constexpr std::string_view kUseAnother = Words::noop("Use the collective “allreduce”, or another compression.");
inline constexpr Refusal kTaken;
inline constexpr Refusal kOnlyNumbers{Words::noop("cannot be added up on the way."), kUseAnother};
inline constexpr Refusal kNotInsideNodes{
    Words::noop("cannot be added up inside a node and sent on to the others."),
    Words::noop("Use the collective “allreduce”, or the compression “fp16” or “bf16”.")};
inline constexpr Refusal kOwnParts{
    Words::noop("has a way of its own to add up parts, and it is the same with “allreduce”."), kUseAnother};
inline constexpr Refusal kOtherPlaces{
    Words::noop("leaves each rank with other places to sum; parts of them do not match."), kUseAnother};

/// Texts that all parts have: a name as in files, and marked for translation, as all texts are, a label for lists and
/// what the part does. `brief` is for plans in a list, `clause` for their sentence; where there is none, either there
/// is nothing to say, or it comes with a number.
struct CollectiveWords
{
    Collective part;
    std::string_view name, label, sentence, brief, clause;
    Refusal toParts = kOnlyNumbers, toGathered = kOnlyNumbers; ///< codes that are summed so
};

struct GroupingWords
{
    Grouping part;
    std::string_view name, label, sentence;
    Grouped grouped = Grouped::byPlan;
    std::string_view brief = {};
};

/// `brief` and `clause`, which begins the sentence of a plan, have places for the grouping, {0}, and for the size of a
/// chunk, {1}.
struct ScheduleWords
{
    Schedule part;
    std::string_view name, label, sentence, brief, clause;
    bool isDuringBackward = true; ///< messages are sent as soon as their gradients are there
    /// The next forward pass waits for each layer by itself: messages are chunks, and those of its front layers come
    /// first.
    bool isLayerwise = false;
};

struct CompressionWords
{
    Compression part;
    std::string_view name, label, sentence;
    int bits; ///< of a number that travels, with what says where it stands
    CodeSum sum;
    bool keepsLosses; ///< for the next gradients of the same message
    std::string_view brief = {}, clause = {};
    std::string_view summed = {}; ///< in a plan's sentence in place of an all-reduce, if it has a way of its own
};

inline constexpr auto kCollectiveWords = std::to_array<CollectiveWords>({
    {Collective::none, "none", Words::noop("None"), Words::noop("Nothing is combined: there is one rank."), "", "",
     kTaken, kTaken},
    {Collective::allreduce, "allreduce", Words::noop("All-reduce"),
     Words::noop("All ranks add the gradients up, and all have the sum."), "",
     Words::noop("all ranks add them up in an all-reduce"), kTaken, kTaken},
    {Collective::hierarchical, "hierarchical", Words::noop("Hierarchical"),
     Words::noop("Gradients are added up inside each node, then between the nodes, and handed out inside."),
     Words::noop("hierarchical"), Words::noop("they are added up inside each node, then between the nodes"),
     kNotInsideNodes, kNotInsideNodes},
    {Collective::reduceScatterAllgather, "reduce_scatter_allgather", Words::noop("Reduce-scatter and all-gather"),
     Words::noop("Each rank adds up one part of the gradients; then all gather the parts."),
     Words::noop("reduce-scatter and all-gather"), Words::noop("each rank adds up its part, then all gather the parts"),
     kOwnParts, kOtherPlaces},
    {Collective::parameterServer, "parameter_server", Words::noop("Parameter server"),
     Words::noop("Server ranks add the gradients up, apply the optimizer and send the weights back."), "", "", kTaken,
     kTaken},
});

inline constexpr auto kGroupingWords = std::to_array<GroupingWords>({
    {Grouping::one, "one", Words::noop("One message"), Words::noop("All gradients travel together."), Grouped::byPlan,
     Words::noop("one message")},
    {Grouping::perTensor, "per_tensor", Words::noop("Per tensor"), Words::noop("Each gradient tensor is a message."),
     Grouped::byPlan, Words::noop("a message per tensor")},
    {Grouping::buckets, "buckets", Words::noop("Buckets"),
     Words::noop("A small first bucket, so that sending starts early; then larger ones.")},
    {Grouping::fusion, "fusion", Words::noop("Fusion"),
     Words::noop("Once a cycle, what all ranks have ready travels together, up to a threshold."), Grouped::underway},
    {Grouping::optimal, "optimal", Words::noop("Optimal"),
     Words::noop("Neighbours are merged where that shortens the iteration, by measured times."), Grouped::byTimes,
     Words::noop("merged where that saves time")},
    {Grouping::equalBuckets, "equal_buckets", Words::noop("Equal buckets"),
     Words::noop("The given number of buckets, of about the same size.")},
    {Grouping::merged, "merged", Words::noop("Merged by rule"),
     Words::noop("Neighbouring layers travel together by MG-WFBP's rule, which decides one layer after the other."),
     Grouped::byTimes, Words::noop("merged by MG-WFBP's rule")},
});

inline constexpr auto kScheduleWords = std::to_array<ScheduleWords>({
    {Schedule::afterBackward, "after_backward", Words::noop("After backward"),
     Words::noop("Nothing is sent before the backward pass is over."), Words::noop("{0}, after backward"),
     Words::noop("Gradients are sent when the backward pass is over ({0})"), false},
    {Schedule::overlapped, "overlapped", Words::noop("Overlapped"),
     Words::noop("A message is sent as soon as its gradients are there."), Words::noop("{0}, overlapped with backward"),
     Words::noop("Gradients are sent during the backward pass ({0})")},
    {Schedule::priority, "priority", Words::noop("Priority"),
     Words::noop("Messages travel in chunks, and the front layers overtake: the next forward pass needs them first."),
     Words::noop("{0}, front layers first in chunks of {1}"),
     Words::noop("Gradients are sent in chunks of {1}, those of the front layers first ({0})"), true, true},
});

inline constexpr auto kCompressionWords = std::to_array<CompressionWords>({
    {Compression::none, "none", Words::noop("None"), Words::noop("Gradients travel as they are, in 32 bits."), 32,
     CodeSum::onTheWay, false},
    {Compression::fp16, "fp16", "fp16", Words::noop("Gradients travel in half precision: 16 bits, little range."), 16,
     CodeSum::onTheWay, false, Words::noop("as fp16"), Words::noop("they travel as fp16")},
    {Compression::bf16, "bf16", "bf16", Words::noop("Gradients travel as bfloat16: 16 bits, the range of 32."), 16,
     CodeSum::onTheWay, false, Words::noop("as bf16"), Words::noop("they travel as bf16")},
    {Compression::onebit, "onebit", Words::noop("1 bit"),
     Words::noop("Signs and two means travel; what is lost is added to the next gradients."), 1, CodeSum::byParts, true,
     Words::noop("as 1 bit"), Words::noop("they travel as one bit each, and what that loses is added to the next ones"),
     Words::noop("each rank adds up one part of what all send it, and sends the sum to all")},
    {Compression::topk, "topk", Words::noop("Top-k"),
     Words::noop("Only the largest gradients travel; what is left out is added to the next ones."), 64,
     CodeSum::gathered, true, "", "", Words::noop("all ranks gather what each sends, with its places, and add it up")},
});

/// The parts of a table, in whose order they are shown. That of the enumerators is the same, so each is an index.
template <class Row, std::size_t N> consteval auto partsIn(const std::array<Row, N>& rows)
{
    std::array<decltype(Row::part), N> parts{};
    for (std::size_t i = 0; i < N; ++i) {
        parts[i] = rows[i].part;
        if (parts[i] != static_cast<decltype(Row::part)>(i))
            throw parts[i]; // its row is not where the enumerator is
    }
    return parts;
}

template <class Row, std::size_t N> constexpr auto namesIn(const std::array<Row, N>& rows)
{
    std::array<std::string_view, N> names;
    std::ranges::transform(rows, names.begin(), &Row::name);
    return names;
}

inline constexpr auto kCollectives = partsIn(kCollectiveWords);
inline constexpr auto kGroupings = partsIn(kGroupingWords);
inline constexpr auto kSchedules = partsIn(kScheduleWords);
inline constexpr auto kCompressions = partsIn(kCompressionWords);

constexpr const CollectiveWords& wordsOf(Collective part)
{
    return kCollectiveWords[static_cast<std::size_t>(part)];
}
constexpr const GroupingWords& wordsOf(Grouping part)
{
    return kGroupingWords[static_cast<std::size_t>(part)];
}
constexpr const ScheduleWords& wordsOf(Schedule part)
{
    return kScheduleWords[static_cast<std::size_t>(part)];
}
constexpr const CompressionWords& wordsOf(Compression part)
{
    return kCompressionWords[static_cast<std::size_t>(part)];
}

/// As in experiment files: "allreduce", "buckets", "after_backward", "onebit".
constexpr auto namesOf(Collective)
{
    return namesIn(kCollectiveWords);
}
constexpr auto namesOf(Grouping)
{
    return namesIn(kGroupingWords);
}
constexpr auto namesOf(Schedule)
{
    return namesIn(kScheduleWords);
}
constexpr auto namesOf(Compression)
{
    return namesIn(kCompressionWords);
}

} // namespace ringside
