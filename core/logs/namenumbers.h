// SPDX-License-Identifier: MIT
// Numbers that stand in the place of ranks for processes behind a name (nametags.h): one for the name itself, whose
// processes only the order of lines may tell apart, and one for each rank that stands behind it. Ranks of launchers lie
// below. Pure. Internal to core/logs.
#pragma once

#include <cstdint>
#include <optional>

namespace ringside::logs {

inline constexpr int kFirstNamed = 100'000'000, kMostNames = 8'192, kRanksOfName = 65'536;
/// A tag holds nine digits.
static_assert(kFirstNamed + kMostNames * (kRanksOfName + 1) < 1'000'000'000);

constexpr bool isRank(std::int64_t number)
{
    return number >= 0 && number < kFirstNamed;
}

/// `name` counts from 0; no rank: lines of this name have none.
constexpr int namedNumber(int name, std::optional<int> rank)
{
    return kFirstNamed + name * (kRanksOfName + 1) + (rank ? *rank + 1 : 0);
}

struct NamedProcess
{
    int name;
    std::optional<int> rank;
};

/// Nothing: it is a rank.
constexpr std::optional<NamedProcess> namedProcess(std::optional<int> number)
{
    if (!number || *number < kFirstNamed || *number >= namedNumber(kMostNames, {}))
        return std::nullopt;
    const int name = (*number - kFirstNamed) / (kRanksOfName + 1), rank = *number - namedNumber(name, 0);
    return NamedProcess{name, rank < 0 ? std::nullopt : std::optional(rank)};
}

/// The number of the name alone; nothing: the process has no name.
constexpr std::optional<int> nameOf(std::optional<int> number)
{
    const auto process = namedProcess(number);
    return process ? std::optional(namedNumber(process->name, {})) : std::nullopt;
}

/// Returns true if the number stands for one process, and not for all those that only the order of lines separates.
constexpr bool isOneProcess(std::optional<int> number)
{
    return number && nameOf(number) != number;
}

} // namespace ringside::logs
