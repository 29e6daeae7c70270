// SPDX-License-Identifier: MIT
// A line of a log that its form knows. Internal to core/logs.
#pragma once

#include "core/logs/content.h"
#include "core/logs/fields.h"
#include "core/logs/format.h"
#include "core/logs/stamp.h"
#include "core/logs/turns.h"

#include <cstdint>
#include <optional>

namespace ringside::logs {

struct KnownLine
{
    std::uint64_t number = 0;
    std::optional<int> rank = {};
    std::optional<Stamp> stamp = {};
    LineValues values;
    const LineForm* form = nullptr;
    std::optional<Place> place = {}; ///< in the run of the source that printed it
    StatedBatches stated = {};       ///< beside the records: one that a record states itself may change
    std::uint64_t ranksLine = 0;     ///< before it, that states how many ranks there are; 0: it is the line itself
    bool isBehindHeader = false;     ///< settings were printed since the record before
    std::size_t text = 0;            ///< the hash of its words from those on with which its form begins
};

inline std::optional<double> numberIn(const LineValues& values, Quantity quantity)
{
    const auto printed = values.get(quantity);
    return printed ? std::optional(printed->value) : std::nullopt;
}

} // namespace ringside::logs
