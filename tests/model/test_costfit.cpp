// SPDX-License-Identifier: MIT
// The fit against costs that are known.
#include "core/model/costfit.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::model;

namespace {

/// 4 KiB, doubled up to 64 MiB, and 100 MB: the sizes of a calibration.
std::vector<std::uint64_t> sizes()
{
    std::vector<std::uint64_t> all;
    for (std::uint64_t bytes = 4096; bytes <= 64u << 20; bytes *= 2)
        all.push_back(bytes);
    all.push_back(100'000'000);
    return all;
}

double lineAt(double latency, double perByte, std::uint64_t bytes)
{
    return latency + static_cast<double>(bytes) * perByte;
}

template <class Cost> std::vector<MessageTime> timesOf(const Cost& cost)
{
    std::vector<MessageTime> times;
    for (const std::uint64_t bytes : sizes())
        times.push_back({bytes, cost(bytes)});
    return times;
}

/// Eager up to 64 KiB, a slower protocol up to 2 MiB, then large messages at full bandwidth.
double threeProtocols(std::uint64_t bytes)
{
    if (bytes <= 64u << 10)
        return lineAt(20e-6, 4e-10, bytes);
    return bytes <= 2u << 20 ? lineAt(150e-6, 2e-9, bytes) : lineAt(1.5e-3, 8e-10, bytes);
}

} // namespace

TEST_CASE("a line is found again, in one piece")
{
    const auto segments = fitCost(timesOf([](auto bytes) { return lineAt(50e-6, 8.5e-10, bytes); }));
    REQUIRE(segments.size() == 1);
    CHECK(segments[0].latency == doctest::Approx(50e-6).epsilon(1e-6));
    CHECK(segments[0].perByte == doctest::Approx(8.5e-10).epsilon(1e-6));
    CHECK(asymptoticBandwidth(segments) == doctest::Approx(1 / 8.5e-10));
    CHECK(secondsFor(segments, 1'000'000'000) == doctest::Approx(50e-6 + 0.85)); // beyond what was measured
}

TEST_CASE("three protocols are three pieces, with their borders between the sizes that they part")
{
    const auto times = timesOf(threeProtocols);
    const auto segments = fitCost(times);
    REQUIRE(segments.size() == 3);
    CHECK(segments[0].upTo > 64u << 10);
    CHECK(segments[0].upTo < 128u << 10);
    CHECK(segments[1].upTo > 2u << 20);
    CHECK(segments[1].upTo < 4u << 20);
    CHECK(segments[0].latency == doctest::Approx(20e-6).epsilon(1e-3));
    CHECK(segments[1].perByte == doctest::Approx(2e-9).epsilon(1e-3));
    CHECK(segments[2].perByte == doctest::Approx(8e-10).epsilon(1e-3));
    CHECK(worstError(segments, times) < 1e-6);
    CHECK(secondsFor(segments, 50'000'000) == doctest::Approx(lineAt(1.5e-3, 8e-10, 50'000'000)).epsilon(1e-3));
}

TEST_CASE("as many sizes as a table may have are parted where their protocols are")
{
    std::vector<MessageTime> times;
    for (std::uint64_t i = 1; i <= 1000; ++i)
        times.push_back({i * i * 64, threeProtocols(i * i * 64) * (1 + 0.005 * std::sin(12.9898 * double(i)))});
    const auto segments = fitCost(times);
    REQUIRE(segments.size() == 3);
    CHECK(double(segments[0].upTo) == doctest::Approx(64u << 10).epsilon(0.04)); // sizes lie 2 / i apart
    CHECK(double(segments[1].upTo) == doctest::Approx(2u << 20).epsilon(0.02));
    CHECK(segments[1].latency == doctest::Approx(150e-6).epsilon(0.01));
    CHECK(segments[2].perByte == doctest::Approx(8e-10).epsilon(0.01));
    CHECK(worstError(segments, times) < 0.02);
}

TEST_CASE("noise of one per cent wins no piece and moves the line by little")
{
    int i = 0;
    const auto segments = fitCost(
        timesOf([&](auto bytes) { return lineAt(50e-6, 8.5e-10, bytes) * (1 + 0.01 * std::sin(12.9898 * ++i)); }));
    REQUIRE(segments.size() == 1);
    CHECK(segments[0].latency == doctest::Approx(50e-6).epsilon(0.02));
    CHECK(segments[0].perByte == doctest::Approx(8.5e-10).epsilon(0.02));
}

TEST_CASE("small messages count as much as large ones")
{
    // A plain least-squares line would be ruled by the 100 MB that are 5 % slow, and miss the latency by far.
    auto times = timesOf([](auto bytes) { return lineAt(100e-6, 1e-9, bytes); });
    times.back().seconds *= 1.05;
    CHECK(secondsFor(fitCost(times), 4096) == doctest::Approx(lineAt(100e-6, 1e-9, 4096)).epsilon(0.02));
}

TEST_CASE("neither latency nor bandwidth is negative")
{
    const auto concave = fitCost({{1000, 1e-6}, {2000, 3e-6}, {4000, 7e-6}}); // its line would begin below zero
    REQUIRE(concave.size() == 1);
    CHECK(concave[0].latency == 0);
    CHECK(concave[0].perByte > 0);
    const auto falling = fitCost({{1000, 3e-6}, {2000, 2e-6}, {4000, 1e-6}});
    REQUIRE(falling.size() == 1);
    CHECK(falling[0].latency == 0);
    CHECK(falling[0].perByte > 0);
}

TEST_CASE("a burst that makes the longest messages look alike does not make longer ones free")
{
    auto times = timesOf([](auto bytes) { return lineAt(50e-6, 8.5e-10, bytes); });
    for (std::size_t i = times.size() - 3; i < times.size(); ++i) // 32 MiB, 64 MiB, 100 MB
        times[i].seconds = 0.085;
    const auto segments = fitCost(times);
    CHECK(asymptoticBandwidth(segments) > 0);
    CHECK(secondsFor(segments, 1'000'000'000) > 0.4);
    CHECK(secondsFor(segments, 1'000'000) == doctest::Approx(50e-6 + 8.5e-4).epsilon(0.02)); // as measured
}

TEST_CASE("few times, and none")
{
    CHECK(fitCost({}).empty());
    CHECK(fitCost({{4096, 0}, {0, 1}}).empty());
    CHECK(secondsFor({}, 4096) == 0);
    const auto one = fitCost({{4096, 2e-6}});
    REQUIRE(one.size() == 1);
    CHECK(secondsFor(one, 4096) == doctest::Approx(2e-6));
    const auto two = fitCost({{8192, 3e-6}, {4096, 2e-6}});
    REQUIRE(two.size() == 1);
    CHECK(two[0].latency == doctest::Approx(1e-6));
    CHECK(secondsFor(two, 0) == 0); // it is not sent
}
