// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/redrawnline.h"

#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace ringside::cli {

namespace {

constexpr std::string_view kErased = "\r\x1b[K";

/// A terminal that went away is no reason to end a program.
void write(std::string_view text)
{
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

/// Columns in which a line does not wrap; no limit where the terminal does not say.
std::size_t columnsOfTerminal()
{
    winsize size{};
    const bool isTold = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return isTold ? size.ws_col - 1u : std::string_view::npos;
}

/// One column per code point, as `width` counts.
std::string_view firstColumns(std::string_view text, std::size_t columns)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isBeginOfCharacter = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
        if (isBeginOfCharacter && columns-- == 0)
            return text.substr(0, i);
    }
    return text;
}

} // namespace

RedrawnLine::RedrawnLine()
    : m_isTerminal(::isatty(STDERR_FILENO) == 1)
{
}

void RedrawnLine::draw(std::string_view text)
{
    if (!m_isTerminal)
        return;
    write(std::string(kErased).append(firstColumns(text, columnsOfTerminal())));
    m_isDrawn = true;
}

void RedrawnLine::clear()
{
    if (std::exchange(m_isDrawn, false))
        write(kErased);
}

} // namespace ringside::cli
