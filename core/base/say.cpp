// SPDX-License-Identifier: MIT
#include "core/base/say.h"

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <unistd.h>

namespace ringside {

namespace {

/// Past the buffer of standard output: what cannot be written now would be written in the middle of something later.
bool writeAll(int descriptor, std::string_view text) noexcept
{
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n > 0)
            text.remove_prefix(static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

bool writeLine(int descriptor, std::string_view text) noexcept
{
    try {
        return writeAll(descriptor, std::string(text) + '\n'); // in one call, so that ranks do not mix their lines
    } catch (const std::bad_alloc&) {
        return false;
    }
}

} // namespace

bool sayLine(std::string_view text) noexcept
{
    std::fflush(stdout); // what libraries have printed stays before it
    return writeLine(STDOUT_FILENO, text);
}

bool sayErrorLine(std::string_view text) noexcept
{
    return writeLine(STDERR_FILENO, text);
}

} // namespace ringside
