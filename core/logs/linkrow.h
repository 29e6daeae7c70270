// SPDX-License-Identifier: MIT
// One row of a table of links: its numbers by the titles above it, and whether they contradict each other. Pure.
// Internal to core/logs.
#pragma once

#include "core/logs/content.h"
#include "core/logs/linkform.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// A table with more columns is none.
inline constexpr std::size_t kMostColumns = 64;

/// The columns that a line of titles names, in its order; nullptr stands for one that is not known. Empty: none of them
/// holds a size, or none a time or a rate.
std::vector<const TableColumn*> columnsOf(const LinkForm& form, std::string_view titles);

/// Returns whether the line begins with a whole number and a blank, as rows do.
bool looksLikeRow(std::string_view line);

struct LinkRow
{
    MessageTime message; ///< of 0 bytes: there is nothing to send, and it is not used
    bool isOfSlowest = false;
    bool isOther = false;                ///< a condition says that it is of another operation
    int places = 1;                      ///< so many times it has its numbers
    std::optional<Finding> finding = {}; ///< why it is not used
    std::vector<double> busRates = {};   ///< printed, bytes/s
    bool provesAllReduce = false;        ///< a printed bus bandwidth, in digits enough, is that of an all-reduce
};

/// `ranks`: of an all-reduce, where known; else bus bandwidths are not checked. nullopt: it has not these columns, or
/// no time.
std::optional<LinkRow> readRow(const std::vector<const TableColumn*>& columns, std::string_view line,
                               std::optional<std::int64_t> ranks);

} // namespace ringside::logs
