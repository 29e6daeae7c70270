// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace ringside::test {

/// Seeds that a property is tried with: `count` of them from `first`, which CAPTURE shows with a failure; where
/// RINGSIDE_SEED is set, that seed alone, so that the failure is seen again.
inline std::vector<std::uint64_t> seeds(std::uint64_t first, std::size_t count)
{
    if (const char* one = std::getenv("RINGSIDE_SEED"))
        return {std::strtoull(one, nullptr, 10)};
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
}

} // namespace ringside::test
