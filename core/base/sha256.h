// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): the identity of a file that travels, whatever its name and place.
#pragma once

#include "core/base/files.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

/// Hashes a message in pieces. Not thread-safe; no allocation.
class Sha256
{
public:
    Sha256();
    void add(std::string_view bytes);
    /// 64 lower-case hexadecimal digits. Ends it: nothing may be added afterwards.
    std::string hex();

private:
    void take(const unsigned char* blocks, std::size_t count);

    std::array<std::uint32_t, 8> m_state;
    std::array<unsigned char, 64> m_block{};
    std::size_t m_filled = 0;
    std::uint64_t m_bytes = 0;
};

std::string sha256Of(std::string_view bytes);
/// HMAC-SHA-256 (RFC 2104) of the bytes by a secret, as 64 lower-case hexadecimal digits.
std::string hmacSha256Of(std::string_view secret, std::string_view bytes);
/// Reads a regular file in pieces; follows links. Errors: as of openRegularFile.
Result<std::string> sha256OfFile(const fs::path& path);

} // namespace ringside
