// SPDX-License-Identifier: MIT
// One bit for each number, and two means for each block of them. Pure.
//
// Seide et al., "1-Bit Stochastic Gradient Descent and its Application to Data-Parallel Distributed Training of Speech
// DNNs", Interspeech 2014: each value becomes the mean of those of its sign, and the error is stored and added to the
// next gradient. There a column of a weight matrix has its own pair of means; here a block of 1,024 numbers has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::onebit {

inline constexpr std::size_t kBlock = 1'024;
inline constexpr std::size_t kMeansBytes = 2 * sizeof(float);

/// Bytes of the code of `count` numbers: the means of its blocks, then their bits.
constexpr std::size_t codeBytes(std::size_t count)
{
    const std::size_t whole = count / kBlock, rest = count % kBlock;
    return whole * (kMeansBytes + kBlock / 8) + (rest > 0 ? kMeansBytes + (rest + 7) / 8 : 0);
}

/// Writes codeBytes(numbers.size()) bytes; each number becomes what decoding loses of it.
void encode(std::span<float> numbers, std::span<std::byte> code);
/// The same of numbers and what is added to them first, as many.
void addAndEncode(std::span<float> numbers, std::span<const float> more, std::span<std::byte> code);
/// The opposite.
void decode(std::span<const std::byte> code, std::span<float> numbers);
/// As decode, but adds.
void decodeAndAdd(std::span<const std::byte> code, std::span<float> numbers);

} // namespace ringside::onebit
