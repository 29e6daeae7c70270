// SPDX-License-Identifier: MIT
#include "agent/worker/timing/detailrhythm.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

/// Iterations in which details are recorded, each of so many bytes.
std::vector<std::uint32_t> chosen(std::uint32_t warmup, std::uint32_t iterations, std::size_t bytes)
{
    DetailRhythm rhythm(warmup);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t seq = 0; seq < iterations; ++seq)
        if (rhythm.isDue(seq)) {
            chosen.push_back(seq);
            rhythm.recorded(seq, bytes);
        }
    return chosen;
}

} // namespace

TEST_CASE("the first iteration after the warm-up is recorded in detail, and then not too often")
{
    CHECK(chosen(3, 60, 40) == std::vector<std::uint32_t>{3, 23, 43});
    CHECK(chosen(0, 21, 40) == std::vector<std::uint32_t>{0, 20});
}

TEST_CASE("details stay below their share of the bytes of samples, whatever their size")
{
    constexpr std::uint32_t iterations = 100'000;
    const double samples = iterations * static_cast<double>(spoolBytes(Sample{}));
    for (const std::size_t bytes : {40u, 300u, 2'500u, 20'000u}) {
        const double details = static_cast<double>(bytes * chosen(10, iterations, bytes).size());
        CHECK(details <= kDetailShare * samples + static_cast<double>(bytes)); // the first one is for nothing
        if (bytes >= 300)
            CHECK(details >= 0.9 * kDetailShare * samples);
    }
}

TEST_CASE("a record takes what is written of it")
{
    CHECK(spoolBytes(Sample{}) == 126); // PROTOCOL.md: type and length, and 120 bytes
    CHECK(spoolBytes(LayerTimings{1, {{}, {}}}) == 6 + 12 + 2 * 40);
}
