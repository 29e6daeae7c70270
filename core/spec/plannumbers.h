// SPDX-License-Identifier: MIT
// The numbers of a plan's parts, but for those of servers, as one table: how files and forms call them, and what they
// may be. Files, checks and the window's fields are made of it.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::spec {

/// Bytes; with a unit in files: "25 MiB".
struct PlanSize
{
    std::uint64_t AggregationPlan::*member;
};
/// Microseconds; with a unit in files: "1 ms".
struct PlanTime
{
    std::int64_t AggregationPlan::*member;
};
struct PlanCount
{
    int AggregationPlan::*member;
};
/// Millionths; from 0 to 1 in files.
struct PlanShare
{
    int AggregationPlan::*member;
};

/// Texts are English; Words::translated() shows them.
struct PlanNumber
{
    std::variant<PlanSize, PlanTime, PlanCount, PlanShare> form;
    std::string_view key;    ///< in files, below the word of its part: "cap"
    std::string_view label;  ///< of a field: "Other buckets"
    std::string_view limits; ///< says what it may be
};

struct NumberLimits
{
    std::int64_t low, high; ///< both possible
};

/// In the order of fields.
std::span<const PlanNumber> planNumbers();

/// Returns what the number may be; nullopt: it does not count in this plan, none of whose parts has it.
std::optional<NumberLimits> limitsOf(const PlanNumber& number, const AggregationPlan& plan);
inline bool counts(const PlanNumber& number, const AggregationPlan& plan)
{
    return limitsOf(number, plan).has_value();
}
/// Returns whether the plan's number is one that it may be. True where it does not count.
bool isPossible(const PlanNumber& number, const AggregationPlan& plan);
/// As people read it: "25 MiB", "1 ms", "6", "5 %".
std::string textOf(const PlanNumber& number, const AggregationPlan& plan);

/// A plan of which only this part may have numbers.
template <class Part> AggregationPlan planWith(Part AggregationPlan::*member, Part part)
{
    AggregationPlan plan;
    plan.*member = part;
    return plan;
}

} // namespace ringside::spec
