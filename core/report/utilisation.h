// SPDX-License-Identifier: MIT
// Tells how busy runs keep their cores and GPUs, beside what they achieve: in tables, on a terminal and in files
// (STATISTICS.md, 11). Pure; any thread.
#pragma once

#include "core/protocol/names.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ringside::report {

enum class Utilised
{
    cpu,
    gpu
};
constexpr auto namesOf(Utilised)
{
    return std::to_array<std::string_view>({"cpu", "gpu"});
}
inline constexpr std::array kUtilised = {Utilised::cpu, Utilised::gpu};

/// A value for each of them.
template <class Value> struct ByUtilised : std::array<Value, kUtilised.size()>
{
    Value& of(Utilised what) { return (*this)[static_cast<std::size_t>(what)]; }
    const Value& of(Utilised what) const { return (*this)[static_cast<std::size_t>(what)]; }
};
/// Shares, 0 to 1; absent where not known.
using Utilisation = ByUtilised<std::optional<double>>;

/// Returns the utilisation of a run: the mean over its ranks.
Utilisation utilisationOf(const std::vector<store::RankSummary>& ranks);

/// Returns which of them any of these has: tables have a column for each. `utilisation` is that of one.
template <class Range, class Map> std::vector<Utilised> toldByAny(const Range& all, Map utilisation)
{
    std::vector<Utilised> told;
    for (const Utilised what : kUtilised)
        if (std::ranges::any_of(all, [&](const auto& each) { return utilisation(each).of(what).has_value(); }))
            told.push_back(what);
    return told;
}

/// Returns the title of its column, marked: "CPU utilisation".
const char* titleOf(Utilised what);
/// Returns the name of its column in files: "cpu_utilisation".
std::string fieldOf(Utilised what);

} // namespace ringside::report
