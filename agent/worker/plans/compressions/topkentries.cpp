// SPDX-License-Identifier: MIT
#include "agent/worker/plans/compressions/topkentries.h"

#include <bit>
#include <vector>

namespace ringside::topk {

namespace {

constexpr std::size_t kSizes = 1u << 15; // sign bit off, the sixteen bits below it: sizes in the order of their bits

std::size_t sizeOf(float number)
{
    return (std::bit_cast<std::uint32_t>(number) & 0x7fffffffu) >> 16;
}

/// The least size of which all larger ones are selected, and how many of its own.
struct Limit
{
    std::size_t size = 0;
    std::size_t ofIt = 0;
};

Limit limitFor(std::span<const float> numbers, std::size_t wanted)
{
    std::vector<std::size_t> counts(kSizes);
    for (const float number : numbers)
        ++counts[sizeOf(number)];
    std::size_t size = kSizes - 1;
    for (; counts[size] < wanted && size > 0; --size)
        wanted -= counts[size];
    return {size, wanted};
}

} // namespace

void take(std::span<float> numbers, std::span<Entry> entries)
{
    Limit limit = limitFor(numbers, entries.size());
    std::size_t taken = 0;
    for (std::size_t i = 0; i < numbers.size() && taken < entries.size(); ++i) {
        const std::size_t size = sizeOf(numbers[i]);
        if (size < limit.size || (size == limit.size && limit.ofIt == 0))
            continue;
        limit.ofIt -= size == limit.size;
        entries[taken++] = {static_cast<std::uint32_t>(i), numbers[i]};
        numbers[i] = 0;
    }
}

} // namespace ringside::topk
