// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <string>
#include <string_view>

namespace ringside {

/// The number of lines of a log that are stored and shown: the newest.
inline constexpr int kMostLogLines = 5'000;

/// Puts pieces together to lines, which come out as a terminal would show them: the last of what overwrote itself,
/// without colours, bells and cursor moves, and cut at 4,000 bytes.
class LogLines
{
public:
    /// The lines that end in this piece. A piece may end within a character.
    QStringList add(std::string_view piece);

private:
    std::string m_partial;
};

} // namespace ringside
