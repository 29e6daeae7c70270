// SPDX-License-Identifier: MIT
// Finds lines that were meant to be records of a form and break off, so that no pattern knows them. Pure. Internal to
// core/logs.
#pragma once

#include "core/logs/format.h"
#include "core/logs/keyindex.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

class DamagedRecords
{
public:
    /// `format` outlives it. Of records that begin with a number or with a short text, none is found.
    explicit DamagedRecords(const LogFormat& format);

    /// Returns the number of a line that is damaged: of this one, which no pattern of the format knows, without its
    /// tag, or of the one before it, which this one completes.
    std::optional<std::uint64_t> find(std::uint64_t number, std::string_view line);

private:
    bool isCompletedBy(std::string_view line) const;

    std::vector<const LinePattern*> m_patterns; ///< of records
    KeyIndex m_heads;
    std::vector<std::uint32_t> m_candidates;
    std::string m_begun; ///< the line before, if it may have broken off
    std::uint64_t m_begunNumber = 0;
};

} // namespace ringside::logs
