// SPDX-License-Identifier: MIT
// Numbers in memory of the caller, of a type that ranks can sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside {

enum class NumberType
{
    f32,
    f16,
    bf16
};

constexpr std::size_t bytesOf(NumberType type)
{
    return type == NumberType::f32 ? 4 : 2;
}

/// A view; 16-bit types are seen as their bits.
struct Numbers
{
    std::byte* data = nullptr;
    std::size_t count = 0;
    NumberType type = NumberType::f32;

    Numbers(std::span<float> numbers)
        : data(reinterpret_cast<std::byte*>(numbers.data()))
        , count(numbers.size())
    {
    }
    Numbers(std::span<std::uint16_t> bits, NumberType bitsType)
        : data(reinterpret_cast<std::byte*>(bits.data()))
        , count(bits.size())
        , type(bitsType)
    {
    }

    std::size_t bytes() const { return count * bytesOf(type); }
    Numbers part(std::size_t first, std::size_t length) const
    {
        Numbers numbers = *this;
        numbers.data += first * bytesOf(type);
        numbers.count = length;
        return numbers;
    }
};

/// Adds as many numbers of the same type, at `more`; those of 16 bits in single precision, rounded once. About as fast
/// as memory is read, since on a host without a GPU its cores are those that train.
void addNumbers(Numbers sum, const std::byte* more);

/// Elements that rank `rank` of `ranks` sums or holds where a buffer of `count` is cut into a part a rank: as equal as
/// can be, the longer ones first.
struct Part
{
    std::size_t first = 0;
    std::size_t count = 0;
};
constexpr Part partOf(std::size_t count, int rank, int ranks)
{
    const auto n = static_cast<std::size_t>(ranks), r = static_cast<std::size_t>(rank);
    const std::size_t each = count / n, longer = count % n;
    return {r * each + (r < longer ? r : longer), each + (r < longer ? 1 : 0)};
}

} // namespace ringside
