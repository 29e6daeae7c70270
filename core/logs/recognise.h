// SPDX-License-Identifier: MIT
// Finds out which of many forms a log has. Pure.
#pragma once

#include "core/logs/format.h"
#include "core/logs/keyindex.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// So many records of one form decide, or, once a line has been known, so many further lines.
inline constexpr std::uint64_t kRecordsToDecide = 200;
inline constexpr std::uint64_t kLinesToDecide = 2'000;

class Recogniser
{
public:
    /// `formats` outlive it. Where two know equally many lines, the earlier one is chosen.
    explicit Recogniser(std::span<const LogFormat> formats);

    /// Lines in order; false once enough have been seen.
    bool read(std::string_view line);

    /// The format that knows most of the lines' records; nothing where none knows any.
    const LogFormat* best() const;
    /// A second one that knows records, too: lines of another program, or a form that is much alike.
    const LogFormat* second() const;
    /// Those that best() knows.
    std::uint64_t records() const { return m_known.empty() ? 0 : *std::max_element(m_known.begin(), m_known.end()); }

private:
    struct Form
    {
        std::size_t format;
        const LinePattern* pattern;
    };
    static std::vector<Form> formsOf(std::span<const LogFormat> formats);

    std::span<const LogFormat> m_formats;
    std::vector<Form> m_forms;
    KeyIndex m_index;
    std::vector<std::uint32_t> m_candidates;
    std::vector<std::uint64_t> m_known; ///< records, by format
    std::uint64_t m_linesSince = 0;     ///< the first known one
    bool m_isDecided = false;
};

} // namespace ringside::logs
