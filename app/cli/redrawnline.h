// SPDX-License-Identifier: GPL-3.0-or-later
// A line of progress at the foot of a terminal, drawn anew in its place. A file never gets one.
#pragma once

#include <string_view>

namespace ringside::cli {

class RedrawnLine
{
public:
    RedrawnLine();
    ~RedrawnLine() { clear(); }
    RedrawnLine(const RedrawnLine&) = delete;
    RedrawnLine& operator=(const RedrawnLine&) = delete;

    /// False where standard error is a file: nothing is drawn there.
    bool isTerminal() const { return m_isTerminal; }
    /// Shows the text in place of the one before, cut to the terminal's width: of a line that wraps, only the last row
    /// could be erased.
    void draw(std::string_view text);
    /// Erases it, so that a line that stays can be written.
    void clear();

private:
    bool m_isTerminal;
    bool m_isDrawn = false;
};

} // namespace ringside::cli
