// SPDX-License-Identifier: MIT
#include "core/report/otherwise.h"

#include "core/report/comparedkind.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

double halfWidth(const Measure& measure)
{
    return measure.low && measure.high ? (*measure.high - *measure.low) / 2 : 0;
}

/// Either way may be the one with enough runs for an interval.
bool differs(const Measure& a, const Measure& b)
{
    if (!a.value || !b.value)
        return a.value.has_value() != b.value.has_value();
    return std::abs(*a.value - *b.value) > std::max(halfWidth(a), halfWidth(b));
}

} // namespace

void addOtherwise(Comparison& comparison, const Comparison& other)
{
    for (Group& group : comparison.groups) {
        const auto found = std::ranges::find(other.groups, group.key, &Group::key);
        if (found == other.groups.end())
            continue;
        const Measure measure = comparison.kind->measureOf(*found);
        if (differs(comparison.kind->measureOf(group), measure))
            group.otherwise = Otherwise{found->n(), measure};
    }
}

} // namespace ringside::report
