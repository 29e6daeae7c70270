// SPDX-License-Identifier: MIT
// The largest numbers and their indices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::topk {

struct Entry
{
    std::uint32_t index;
    float value;
};

/// The number of entries sent of `count` numbers for a share of `ppm` millionths: at least one.
constexpr std::size_t entriesOf(std::size_t count, int ppm)
{
    const std::size_t entries = (count * static_cast<std::size_t>(ppm) + 999'999) / 1'000'000;
    return entries > 0 ? entries : 1;
}

/// Fills `entries` with as many of the numbers of the largest size, in the order of their places, and sets these to
/// zero. Two passes, whatever the numbers are; among numbers whose first 16 bits are alike the first ones win.
void take(std::span<float> numbers, std::span<Entry> entries);

} // namespace ringside::topk
