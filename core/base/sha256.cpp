// SPDX-License-Identifier: MIT
#include "core/base/sha256.h"

#include "core/base/regularfile.h"
#include "core/base/sha256block.h"
#include "core/base/words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace ringside {

namespace {

Sha256Blocks fastestBlocks()
{
    const Sha256Blocks instructions = sha256Instructions();
    return instructions ? instructions : takeSha256Blocks;
}

std::string bytesOfHex(std::string_view digits)
{
    const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
    return bytes;
}

} // namespace

Sha256::Sha256()
    : m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
{
}

void Sha256::take(const unsigned char* blocks, std::size_t count)
{
    static const Sha256Blocks takeBlocks = fastestBlocks();
    takeBlocks(m_state, blocks, count);
}

void Sha256::add(std::string_view bytes)
{
    m_bytes += bytes.size();
    while (!bytes.empty()) {
        const std::size_t whole = m_filled == 0 ? bytes.size() / m_block.size() : 0;
        const std::size_t n = whole > 0 ? whole * m_block.size() : std::min(bytes.size(), m_block.size() - m_filled);
        if (whole > 0) {
            take(reinterpret_cast<const unsigned char*>(bytes.data()), whole);
        } else {
            std::memcpy(m_block.data() + m_filled, bytes.data(), n);
            m_filled = (m_filled + n) % m_block.size();
            if (m_filled == 0)
                take(m_block.data(), 1);
        }
        bytes.remove_prefix(n);
    }
}

std::string Sha256::hex()
{
    const std::uint64_t bits = m_bytes * 8;
    add("\x80");
    while (m_filled != 56)
        add(std::string_view("\0", 1));
    std::string length;
    for (int shift = 56; shift >= 0; shift -= 8)
        length += static_cast<char>(bits >> shift);
    add(length);
    std::string text;
    for (const std::uint32_t word : m_state)
        text += fmt::format("{:08x}", word);
    return text;
}

std::string sha256Of(std::string_view bytes)
{
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

std::string hmacSha256Of(std::string_view secret, std::string_view bytes)
{
    constexpr std::size_t kBlock = 64;
    std::string key = secret.size() > kBlock ? bytesOfHex(sha256Of(secret)) : std::string(secret);
    key.resize(kBlock, '\0');
    const auto padded = [&](char pad) {
        std::string block = key;
        for (char& byte : block)
            byte = static_cast<char>(byte ^ pad);
        return block;
    };
    const std::string inner = sha256Of(padded(0x36) + std::string(bytes));
    return sha256Of(padded(0x5c) + bytesOfHex(inner));
}

Result<std::string> sha256OfFile(const fs::path& path)
{
    TRY_ASSIGN(const Descriptor file, openRegularFile(path, Links::followed));
    Sha256 hash;
    char buffer[1 << 16];
    ssize_t n = 0;
    while ((n = ::read(file.get(), buffer, sizeof buffer)) > 0)
        hash.add({buffer, static_cast<std::size_t>(n)});
    return n == 0 ? Result<std::string>(hash.hex())
                  : tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
}

} // namespace ringside
