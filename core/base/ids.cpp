// SPDX-License-Identifier: MIT
#include "core/base/ids.h"

#include "core/base/words.h"

#include <array>
#include <random>
#include <string_view>
#include <unistd.h>

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

constexpr std::string_view kHex = "0123456789abcdef";

/// The system's: two hosts never share a seed. std::random_device may ask the processor, which on a virtual machine
/// took some 20 µs for each four bytes.
std::array<unsigned char, 16> randomBytes()
{
    std::array<unsigned char, 16> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0) { // a kernel without it
        std::random_device source;
        for (unsigned char& byte : bytes)
            byte = static_cast<unsigned char>(source());
    }
    return bytes;
}

} // namespace

std::string randomUuid()
{
    const std::array<unsigned char, 16> bytes = randomBytes();
    std::string text;
    for (const unsigned char byte : bytes) {
        if (isDashAt(text.size()))
            text += '-';
        text += kHex[byte >> 4];
        text += kHex[byte & 15];
    }
    text[14] = '4';                       // version 4
    text[19] = "89ab"[bytes[8] >> 4 & 3]; // RFC 4122 variant
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
