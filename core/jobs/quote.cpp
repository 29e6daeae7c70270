// SPDX-License-Identifier: MIT
#include "core/jobs/quote.h"

namespace ringside::jobs {

namespace {

constexpr std::string_view kPlainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@";

/// Single quotes keep everything as it is, except: a quote itself anywhere, "!" in tcsh, a backslash in fish.
/// Those go between the quoted parts behind a backslash, which all shells agree on.
bool needsBackslash(char c)
{
    return c == '\'' || c == '\\' || c == '!';
}

} // namespace

std::string shellQuote(std::string_view text)
{
    if (!text.empty() && text.find_first_not_of(kPlainCharacters) == std::string_view::npos)
        return std::string(text);
    std::string quoted = "'";
    for (const char c : text) {
        if (needsBackslash(c))
            quoted += std::string("'\\") + c + "'";
        else if (c != '\0')
            quoted += c;
    }
    return quoted + "'";
}

} // namespace ringside::jobs
