// SPDX-License-Identifier: MIT
#include "core/base/ids.h"

#include "core/base/words.h"

#include <array>
#include <random>

namespace ringside {

namespace {

bool isDashAt(std::size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

bool isLowerHex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

} // namespace

std::string randomUuid()
{
    // The system's: two hosts never share a seed. Opening it takes longer than many ids.
    thread_local std::random_device source;
    std::string text(36, '-');
    std::uint32_t pool = 0;
    int left = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (isDashAt(i))
            continue;
        if (left == 0) {
            pool = source();
            left = 8;
        }
        text[i] = "0123456789abcdef"[pool & 15];
        pool >>= 4;
        --left;
    }
    text[14] = '4';                                                             // version 4
    text[19] = "89ab"[std::string_view("0123456789abcdef").find(text[19]) & 3]; // RFC 4122 variant
    return text;
}

bool isUuid(std::string_view text)
{
    if (text.size() != 36)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (isDashAt(i) ? text[i] != '-' : !isLowerHex(text[i]))
            return false;
    return true;
}

Error noId(std::string_view text)
{
    return Error{ErrorCode::damaged, Words::tr("“{}” is not an id", text.substr(0, 40)), {}};
}

} // namespace ringside
