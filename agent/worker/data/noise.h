// SPDX-License-Identifier: MIT
// Random fields with the spectrum of photographs.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

/// A square of values with mean 0 and deviation 1 that continues at its opposite side.
class NoiseField
{
public:
    static constexpr int kSize = 512; ///< pixels; a power of two

    explicit NoiseField(std::vector<float> values)
        : m_values(std::move(values))
    {
    }

    /// Any row number; kSize values.
    const float* row(int y) const { return m_values.data() + std::size_t(y & (kSize - 1)) * kSize; }

private:
    std::vector<float> m_values;
};

/// `pairs` × 2 independent fields whose amplitude spectrum falls as 1/f, as that of natural images does (Field 1987).
std::vector<NoiseField> makeNoiseFields(int pairs, std::uint64_t seed);

} // namespace ringside
