// SPDX-License-Identifier: MIT
#include "core/remote/ssh/base64.h"

#include <cstdint>

namespace ringside::ssh {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string toBase64(std::string_view bytes)
{
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6)
            text += kAlphabet[(bits >> (count - 6)) & 63];
    }
    if (count > 0)
        text += kAlphabet[(bits << (6 - count)) & 63];
    while (text.size() % 4 != 0)
        text += '=';
    return text;
}

std::string fromBase64(std::string_view text)
{
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const auto value = kAlphabet.find(c);
        if (value == std::string_view::npos)
            break;
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>((bits >> count) & 255);
        }
    }
    return bytes;
}

} // namespace ringside::ssh
