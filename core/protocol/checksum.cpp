// SPDX-License-Identifier: MIT
#include "core/protocol/checksum.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ringside {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78; // 0x1edc6f41 with its bits reversed (RFC 3720, appendix B.4)

constexpr std::array<std::uint32_t, 256> makeTable()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1) ? kPolynomial : 0);
        table[i] = value;
    }
    return table;
}

constexpr auto kTable = makeTable();

std::uint32_t updateByTable(std::uint32_t crc, std::string_view bytes)
{
    for (const char byte : bytes)
        crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t updateByInstruction(std::uint32_t crc, std::string_view bytes)
{
    std::uint64_t wide = crc;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (const char byte : bytes)
        crc = _mm_crc32_u8(crc, static_cast<unsigned char>(byte));
    return crc;
}

std::uint32_t update(std::uint32_t crc, std::string_view bytes)
{
    static const bool hasInstruction = __builtin_cpu_supports("sse4.2");
    return hasInstruction ? updateByInstruction(crc, bytes) : updateByTable(crc, bytes);
}
#else
std::uint32_t update(std::uint32_t crc, std::string_view bytes)
{
    return updateByTable(crc, bytes);
}
#endif

} // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed)
{
    return ~update(~seed, bytes);
}

} // namespace ringside
