// SPDX-License-Identifier: MIT
// Whether a record can be what a rank measured. A block that is whole may still hold nonsense: a defect of whoever
// wrote it, or an attack. Such a record is left out alone; what stands around it is good.
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
/// No run has more ranks.
inline constexpr std::uint32_t kMaxOfRanks = 1'000'000;

/// A record of an iteration that is left out, and why.
struct RefusedRecord
{
    std::uint32_t seq = 0;
    /// "negative_time", "iteration" (there is none so late), "bytes", "not_told" (a phase that it does not tell takes
    /// time), "covers" (no iteration or rank, or more than there can be): never freed.
    std::string_view why;
    bool operator==(const RefusedRecord&) const = default;
};

/// nullopt: the record is plausible. Pure.
std::optional<RefusedRecord> refusalOf(const Record& record);

} // namespace ringside
