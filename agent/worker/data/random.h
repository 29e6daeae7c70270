// SPDX-License-Identifier: MIT
// Random numbers by position instead of by state: any thread gets number i of a seed without the ones before it.
#pragma once

#include <cmath>
#include <cstdint>

namespace ringside {

/// SplitMix64 (Steele, Lea, Flood 2014): output i of the generator that was seeded with `seed`.
inline std::uint64_t randomBits(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1), from the upper 53 bits.
inline double randomUnit(std::uint64_t seed, std::uint64_t i)
{
    return static_cast<double>(randomBits(seed, i) >> 11) * 0x1p-53;
}

/// A short sequence of its own: `Random(seed, item)` draws independently for every item.
class Random
{
public:
    Random(std::uint64_t seed, std::uint64_t item)
        : m_seed(randomBits(seed, item))
    {
    }

    std::uint64_t bits() { return randomBits(m_seed, m_drawn++); }
    double unit() { return randomUnit(m_seed, m_drawn++); }
    double between(double low, double high) { return low + (high - low) * unit(); }
    /// Uniform in [0, n); n > 0.
    int below(int n) { return static_cast<int>(unit() * n); }

private:
    std::uint64_t m_seed;
    std::uint64_t m_drawn = 0;
};

} // namespace ringside
