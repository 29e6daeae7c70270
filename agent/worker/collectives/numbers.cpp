// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/numbers.h"

#include "core/base/wide.h"

#include <bit>
#include <c10/util/Half.h>
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

void addHalvesOneByOne(std::uint16_t* sum, const std::uint16_t* more, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        const c10::Half to(sum[i], c10::Half::from_bits()), number(more[i], c10::Half::from_bits());
        sum[i] = c10::Half(static_cast<float>(to) + static_cast<float>(number)).x;
    }
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
