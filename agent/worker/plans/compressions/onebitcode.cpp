// SPDX-License-Identifier: MIT
#include "agent/worker/plans/compressions/onebitcode.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ringside::onebit {

namespace {

struct Means
{
    float negative = 0;
    float others = 0; ///< zero counts as positive
};

Means meansOf(std::span<const float> block)
{
    double negative = 0, others = 0;
    std::size_t negatives = 0;
    for (const float number : block) {
        const bool isNegative = number < 0;
        negative += isNegative ? number : 0;
        others += isNegative ? 0 : number;
        negatives += isNegative;
    }
    const std::size_t rest = block.size() - negatives;
    return {negatives > 0 ? static_cast<float>(negative / static_cast<double>(negatives)) : 0.0f,
            rest > 0 ? static_cast<float>(others / static_cast<double>(rest)) : 0.0f};
}

/// Calls `visit` with each block of numbers and its place in the code.
template <class Number, class Byte, class Visit>
void forEachBlock(std::span<Number> numbers, std::span<Byte> code, const Visit& visit)
{
    while (!numbers.empty()) {
        const std::size_t count = std::min(kBlock, numbers.size());
        visit(numbers.first(count), code.first(codeBytes(count)));
        numbers = numbers.subspan(count);
        code = code.subspan(codeBytes(count));
    }
}

void encodeBlock(std::span<float> block, std::span<std::byte> code)
{
    const Means means = meansOf(block);
    std::memcpy(code.data(), &means, kMeansBytes);
    std::byte* bits = code.data() + kMeansBytes;
    for (std::size_t at = 0; at < block.size(); at += 8) {
        unsigned eight = 0;
        for (std::size_t i = at; i < std::min(at + 8, block.size()); ++i) {
            const unsigned isNegative = block[i] < 0;
            eight |= isNegative << (i - at);
            block[i] -= isNegative ? means.negative : means.others;
        }
        *bits++ = static_cast<std::byte>(eight);
    }
}

template <class Take> void readBlock(std::span<const std::byte> code, std::span<float> block, const Take& take)
{
    Means means;
    std::memcpy(&means, code.data(), kMeansBytes);
    const std::byte* bits = code.data() + kMeansBytes;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const bool isNegative = (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1u) != 0;
        take(block[i], isNegative ? means.negative : means.others);
    }
}

} // namespace

void encode(std::span<float> numbers, std::span<std::byte> code)
{
    forEachBlock(numbers, code, encodeBlock);
}

void decode(std::span<const std::byte> code, std::span<float> numbers)
{
    forEachBlock(numbers, code, [](std::span<float> block, std::span<const std::byte> part) {
        readBlock(part, block, [](float& number, float value) { number = value; });
    });
}

void decodeAndAdd(std::span<const std::byte> code, std::span<float> numbers)
{
    forEachBlock(numbers, code, [](std::span<float> block, std::span<const std::byte> part) {
        readBlock(part, block, [](float& number, float value) { number += value; });
    });
}

} // namespace ringside::onebit
