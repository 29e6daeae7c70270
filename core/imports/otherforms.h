// SPDX-License-Identifier: MIT
// Finds the part of a log that another program printed: logs are appended to each other, and each has one form here.
#pragma once

#include "core/logs/recognise.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ringside::imports {

/// Lines of another form, which were not read.
struct OtherPart
{
    const logs::LogFormat* format;
    std::uint64_t firstLine = 0;
    std::uint64_t records = 0; ///< that its form knows; a few lines before them were not looked at
};

/// Looks only at lines that stand where the log's own form has known none for a while, and not for ever: most logs
/// have many lines of no form.
class OtherForms
{
public:
    /// Both outlive it.
    OtherForms(std::span<const logs::LogFormat> formats, const logs::LogFormat& own);

    void readOwn() { m_unread = 0; }
    void passOver(std::uint64_t number, std::string_view line);

    /// Nothing where so few lines have another form that they may be anything.
    std::optional<OtherPart> found() const;

private:
    std::span<const logs::LogFormat> m_formats;
    const logs::LogFormat& m_own;
    std::optional<logs::Recogniser> m_recogniser; ///< once it is needed
    std::uint64_t m_unread = 0;                   ///< lines since the last one of the own form
    std::uint64_t m_firstLine = 0;
};

} // namespace ringside::imports
