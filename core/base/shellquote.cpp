// SPDX-License-Identifier: MIT
#include "core/base/shellquote.h"

#include <algorithm>
#include <array>

namespace ringside {

namespace {

constexpr std::string_view kPlainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@";

/// Looked up by character: a script has millions of them.
constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (const char c : kPlainCharacters)
        plain[static_cast<unsigned char>(c)] = true;
    return plain;
}();

bool isPlain(char c)
{
    return kPlain[static_cast<unsigned char>(c)];
}

/// Single quotes leave everything as it is, except: a quote itself anywhere, "!" in tcsh, a backslash in fish.
/// Those go between the quoted parts behind a backslash, which all shells agree on.
bool needsBackslash(char c)
{
    return c == '\'' || c == '\\' || c == '!';
}

} // namespace

std::string shellQuote(std::string_view text)
{
    if (!text.empty() && std::ranges::all_of(text, isPlain))
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

} // namespace ringside
