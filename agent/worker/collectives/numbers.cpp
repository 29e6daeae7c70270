// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/numbers.h"

#include "core/base/wide.h"

#include <bit>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ringside {

namespace {

RINGSIDE_WIDE void addFloats(float* sum, const float* more, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] += more[i];
}

RINGSIDE_WITHIN float ofBfloat16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to the nearest, of two to the even one. NaN stays NaN.
RINGSIDE_WITHIN std::uint16_t toBfloat16(float number)
{
    constexpr std::uint32_t kHalfLess = 0x7fff, kNoNumber = 0x7fc0;
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t rounded = (bits + kHalfLess + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>(number != number ? kNoNumber : rounded);
}

RINGSIDE_WIDE void addBfloat16s(std::uint16_t* sum, const std::uint16_t* more, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] = toBfloat16(ofBfloat16(sum[i]) + ofBfloat16(more[i]));
}

/// A float has 13 bits more behind the point than a half, and counts exponents from 127 in place of 15.
constexpr int kFewerBits = 13;
constexpr std::uint32_t kFurtherExponents = (127 - 15) << 23;
constexpr std::uint32_t kInfinity = 0x7f800000; ///< as a float; above it are those that are no number

/// Each case is computed and one is chosen, so that the compiler can convert several at once.
RINGSIDE_WITHIN float ofHalf(std::uint16_t bits)
{
    constexpr std::uint32_t kLeastNormal = 0x0400, kHalfInfinity = 0x7c00;
    const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
    const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(size)) * 0x1p-24f);
    const std::uint32_t normal = (size << kFewerBits) + kFurtherExponents;
    const std::uint32_t special = size << kFewerBits | kInfinity;
    return std::bit_cast<float>(sign | (size < kLeastNormal ? subnormal : size < kHalfInfinity ? normal : special));
}

/// Rounds to the nearest, of two to the even one. NaN stays NaN.
RINGSIDE_WITHIN std::uint16_t toHalf(float number)
{
    constexpr std::uint32_t kLeastNormal = 0x38800000, kTooLarge = 0x477ff000; // 2^-14, 65520
    constexpr std::uint32_t kHalfInfinity = 0x7c00, kNoNumber = 0x7e00;
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    // A float of 0.5 or more has units of 2^-24, as subnormal halves have: this addition rounds to them.
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) & 0xffffu;
    const std::uint32_t normal = (size - kFurtherExponents + 0xfff + (size >> kFewerBits & 1u)) >> kFewerBits;
    const std::uint32_t special = size > kInfinity ? kNoNumber : kHalfInfinity;
    return static_cast<std::uint16_t>(sign | (size < kLeastNormal ? subnormal : size < kTooLarge ? normal : special));
}

void addHalvesOneByOne(std::uint16_t* sum, const std::uint16_t* more, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] = toHalf(ofHalf(sum[i]) + ofHalf(more[i]));
}

#if defined(__x86_64__)
bool hasHalves()
{
    return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
}

[[gnu::target("avx,f16c")]] __m256 eightHalves(const std::uint16_t* numbers)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers)));
}

[[gnu::target("avx,f16c")]] void addHalvesByEight(std::uint16_t* sum, const std::uint16_t* more, std::size_t count)
{
    constexpr std::size_t kEight = 8;
    std::size_t i = 0;
    for (; i + kEight <= count; i += kEight) {
        const __m256 eight = _mm256_add_ps(eightHalves(sum + i), eightHalves(more + i));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(sum + i), _mm256_cvtps_ph(eight, _MM_FROUND_TO_NEAREST_INT));
    }
    addHalvesOneByOne(sum + i, more + i, count - i);
}
#else
bool hasHalves()
{
    return false;
}
void addHalvesByEight(std::uint16_t*, const std::uint16_t*, std::size_t) {}
#endif

void addHalves(std::uint16_t* sum, const std::uint16_t* more, std::size_t count)
{
    static const bool isWide = hasHalves();
    isWide ? addHalvesByEight(sum, more, count) : addHalvesOneByOne(sum, more, count);
}

} // namespace

void addNumbers(Numbers sum, const std::byte* more)
{
    auto* bits = reinterpret_cast<std::uint16_t*>(sum.data);
    const auto* moreBits = reinterpret_cast<const std::uint16_t*>(more);
    switch (sum.type) {
    case NumberType::f32:
        return addFloats(reinterpret_cast<float*>(sum.data), reinterpret_cast<const float*>(more), sum.count);
    case NumberType::f16:
        return addHalves(bits, moreBits, sum.count);
    case NumberType::bf16:
        return addBfloat16s(bits, moreBits, sum.count);
    }
}

} // namespace ringside
