// SPDX-License-Identifier: MIT
// The parts that a plan is put together from, in words: for those who compose one, and for whole plans as a sentence.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::spec {

/// One choice of a part. Texts are English; Words::translated() shows them.
struct PlanPart
{
    std::string_view name;     ///< as in files: "equal_buckets"
    std::string_view label;    ///< for lists: "Equal buckets"
    std::string_view sentence; ///< what it does
};

/// For a collective, a grouping, a schedule or a compression.
template <class Part> PlanPart partOf(Part part)
{
    const auto& words = wordsOf(part);
    return {words.name, words.label, words.sentence};
}
PlanPart partOf(Placement placement);

/// "one message, after backward", "buckets of 1 MiB, then 25 MiB, overlapped with backward": short, for lists. A
/// collective other than all-reduce, and a compression, are named too.
std::string describe(const AggregationPlan& plan);
/// "Gradients travel in one message when the backward pass is over; all ranks add them up in an all-reduce."
std::string sentenceOf(const AggregationPlan& plan);

/// The time of a fusion cycle as in files: "1 ms" <-> 1000. Units: us, ms, s.
std::optional<std::int64_t> parseCycle(std::string_view text);
std::string formatCycle(std::int64_t microseconds);
/// 50000 millionths as "5 %".
std::string formatPercent(int ppm);

} // namespace ringside::spec
