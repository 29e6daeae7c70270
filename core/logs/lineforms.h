// SPDX-License-Identifier: MIT
// Finds which of a format's forms a line has. Pure. Internal to core/logs.
#pragma once

#include "core/logs/format.h"
#include "core/logs/keyindex.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::logs {

class LineForms
{
public:
    /// `format` outlives it.
    explicit LineForms(const LogFormat& format);

    /// Returns the form of a line without its tag, and reads its values; null: the format does not know it.
    const LineForm* find(std::string_view text, LineValues& values);
    /// Notes that the log has a line of this form, one of the format's own.
    void noteSeen(const LineForm& form) { m_isSeen[static_cast<std::size_t>(&form - m_format.lines.data())] = true; }
    /// Returns the versions of the system that print lines of the forms that were noted, each once.
    std::vector<VersionRange> versionsSeen() const;

private:
    const LogFormat& m_format;
    KeyIndex m_index;
    std::vector<std::uint32_t> m_candidates; ///< forms that the line at hand may have
    std::size_t m_likely = 0;                ///< it has one of the first so many forms, as the line before
    std::vector<bool> m_isSeen;              ///< of each form, whether a line had it
};

} // namespace ringside::logs
