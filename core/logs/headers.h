// SPDX-License-Identifier: MIT
// Finds where the headers of a log begin: lines of context that belong together, and stand before the records that they
// are about. Pure. Internal to core/logs.
#pragma once

#include "core/logs/knownline.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace ringside::logs {

class Headers
{
public:
    /// Adds a line of context, of a start or of a reporter. Returns the first line of the header that it belongs to. Of
    /// ranks without tags each reports its own batch before any prints a record, and other lines may lie between; one
    /// more than there are ranks is of another try.
    std::uint64_t add(const KnownLine& line);
    /// Returns where the run that this line is of may have begun: at the first line of context since the last call,
    /// else at the line itself.
    std::uint64_t beginBefore(std::uint64_t line) { return std::exchange(m_prelude, {}).value_or(line); }

private:
    std::uint64_t headerOf(const KnownLine& line);

    std::optional<std::uint64_t> m_prelude; ///< the first line of context since the last record
    std::uint64_t m_header = 0;             ///< the first line of context since another line, or another process began
    std::uint64_t m_lastContext = 0;
    std::uint64_t m_firstReporter = 0; ///< of ranks without tags that began together
    std::int64_t m_begun = 0;          ///< so many of these
};

} // namespace ringside::logs
