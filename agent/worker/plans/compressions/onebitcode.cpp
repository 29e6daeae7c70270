// SPDX-License-Identifier: MIT
#include "agent/worker/plans/compressions/onebitcode.h"

#include "core/base/wide.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace ringside::onebit {

namespace {

struct Means
{
    float negative = 0;
    float others = 0; ///< zero counts as positive
};

/// Numbers that are processed side by side: as many as fit into the widest registers.
constexpr std::size_t kLanes = 16;

/// Sums in lanes: no addition waits for the one before.
struct Sums
{
    float negative[kLanes] = {}, others[kLanes] = {};
    std::int32_t negatives[kLanes] = {};

    RINGSIDE_WITHIN void add(float number, std::size_t lane)
    {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        const std::uint32_t ifNegative = number < 0 ? ~0u : 0u; // a mask, since compilers make jumps of conditions
        negative[lane] += std::bit_cast<float>(bits & ifNegative);
        others[lane] += std::bit_cast<float>(bits & ~ifNegative);
        negatives[lane] += static_cast<std::int32_t>(ifNegative & 1u);
    }
    RINGSIDE_WITHIN Means means(std::size_t count) const
    {
        double below = 0, above = 0;
        std::int32_t many = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            below += negative[lane];
            above += others[lane];
            many += negatives[lane];
        }
        const auto rest = static_cast<std::int32_t>(count) - many;
        return {many > 0 ? static_cast<float>(below / many) : 0.0f, rest > 0 ? static_cast<float>(above / rest) : 0.0f};
    }
};

RINGSIDE_WITHIN Means meansOf(const float* numbers, std::size_t count)
{
    Sums sums;
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums.add(numbers[i + lane], lane);
    for (; i < count; ++i)
        sums.add(numbers[i], i % kLanes);
    return sums.means(count);
}

/// Eight bytes of 0 or 1 as the bits of one, the first the lowest: each is moved to its place in the highest byte.
RINGSIDE_WITHIN std::uint8_t packed(const std::uint8_t* ones)
{
    std::uint64_t eight;
    std::memcpy(&eight, ones, sizeof eight);
    return static_cast<std::uint8_t>((eight * 0x0102'0408'1020'4080u) >> 56);
}

static_assert(std::endian::native == std::endian::little);

RINGSIDE_WITHIN void encodeBlock(float* numbers, std::size_t count, std::byte* code)
{
    const Means means = meansOf(numbers, count);
    std::memcpy(code, &means, kMeansBytes);
    std::uint8_t isNegative[kBlock + 8] = {}; // a last byte that is not full has zeros above
    for (std::size_t i = 0; i < count; ++i) {
        isNegative[i] = numbers[i] < 0 ? 1 : 0;
        numbers[i] -= numbers[i] < 0 ? means.negative : means.others;
    }
    auto* bits = reinterpret_cast<std::uint8_t*>(code) + kMeansBytes;
    for (std::size_t i = 0; i < count; i += 8)
        *bits++ = packed(isNegative + i);
}

RINGSIDE_WITHIN float valueOf(std::uint8_t bits, std::size_t place, Means means)
{
    constexpr std::uint8_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return (bits & kBits[place]) != 0 ? means.negative : means.others;
}

template <bool adds> RINGSIDE_WITHIN void readBlock(const std::byte* code, float* numbers, std::size_t count)
{
    Means means;
    std::memcpy(&means, code, kMeansBytes);
    const auto* bits = reinterpret_cast<const std::uint8_t*>(code) + kMeansBytes;
    const std::size_t whole = count / 8 * 8;
    for (std::size_t i = 0; i < whole; i += 8, ++bits)
        for (std::size_t place = 0; place < 8; ++place)
            numbers[i + place] = (adds ? numbers[i + place] : 0.0f) + valueOf(*bits, place, means);
    for (std::size_t i = whole; i < count; ++i)
        numbers[i] = (adds ? numbers[i] : 0.0f) + valueOf(*bits, i - whole, means);
}

/// Calls `visit` with where each block begins, its length and its place in the code.
template <class Visit> RINGSIDE_WITHIN void forEachBlock(std::size_t numbers, const Visit& visit)
{
    for (std::size_t at = 0, code = 0; at < numbers; at += kBlock) {
        const std::size_t count = std::min(kBlock, numbers - at);
        visit(at, count, code);
        code += codeBytes(count);
    }
}

} // namespace

RINGSIDE_WIDE void encode(std::span<float> numbers, std::span<std::byte> code)
{
    forEachBlock(numbers.size(), [&](std::size_t at, std::size_t count, std::size_t place) {
        encodeBlock(&numbers[at], count, &code[place]);
    });
}

RINGSIDE_WIDE void addAndEncode(std::span<float> numbers, std::span<const float> more, std::span<std::byte> code)
{
    forEachBlock(numbers.size(), [&](std::size_t at, std::size_t count, std::size_t place) {
        for (std::size_t i = at; i < at + count; ++i)
            numbers[i] += more[i];
        encodeBlock(&numbers[at], count, &code[place]);
    });
}

RINGSIDE_WIDE void decode(std::span<const std::byte> code, std::span<float> numbers)
{
    forEachBlock(numbers.size(), [&](std::size_t at, std::size_t count, std::size_t place) {
        readBlock<false>(&code[place], &numbers[at], count);
    });
}

RINGSIDE_WIDE void decodeAndAdd(std::span<const std::byte> code, std::span<float> numbers)
{
    forEachBlock(numbers.size(), [&](std::size_t at, std::size_t count, std::size_t place) {
        readBlock<true>(&code[place], &numbers[at], count);
    });
}

} // namespace ringside::onebit
