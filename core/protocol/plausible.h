// SPDX-License-Identifier: MIT
// Checks whether a rank can have measured a record. A block that is whole may still hold nonsense, by a defect of its
// writer or an attack. Only such a record is left out; the records around it are good.
#pragma once

#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside {

/// No run has more iterations: what counts from it is no iteration.
inline constexpr std::uint32_t kMaxIterations = 1'000'000'000;
/// More than any rank sends in an iteration (8 PiB); up to it a double is exact.
inline constexpr std::uint64_t kMaxBytesSent = std::uint64_t{1} << 53;
/// More than any run counts in a record; sums of them stay in 64 bits.
inline constexpr std::uint64_t kMaxItems = std::uint64_t{1} << 48;
/// No run has more ranks.
inline constexpr std::uint32_t kMaxOfRanks = 1'000'000;

/// A record of an iteration that is left out, and why.
struct RefusedRecord
{
    std::uint32_t seq = 0;
    /// "negative_time", "iteration" (there is none so late), "bytes", "not_told" (a phase that it does not report takes
    /// time), "covers" (no iteration or rank, or more than there can be), "items" (more than a spool holds): never
    /// freed.
    std::string_view why;
    bool operator==(const RefusedRecord&) const = default;
};

/// nullopt: the record is plausible. Pure.
std::optional<RefusedRecord> refusalOf(const Record& record);
/// The same of a record that was read from a spool, where a number of items may stand for a larger one.
std::optional<RefusedRecord> refusalOfSpooled(const Record& record);

} // namespace ringside
