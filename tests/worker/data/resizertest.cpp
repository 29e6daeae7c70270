// SPDX-License-Identifier: MIT
#include "agent/worker/data/resizer.h"
#include "tests/worker/data/jpegfiles.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

constexpr float kUntouched = -777;

/// The floats of one picture, followed by some that must stay as they are.
std::vector<float> resized(const std::string& file, const Crop& crop, int size, int channels, bool channelsLast)
{
    JpegDecoder decoder;
    Resizer resizer(size, channels, channelsLast);
    std::vector<float> out(std::size_t(channels) * size * size + 8, kUntouched);
    REQUIRE(decoder.open({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}));
    REQUIRE(resizer.fill(decoder, crop, out.data()));
    for (std::size_t i = out.size() - 8; i < out.size(); ++i)
        REQUIRE(out[i] == kUntouched);
    out.resize(out.size() - 8);
    return out;
}

/// Back from a normalised value to 0 … 255.
float byteOf(float value, int c)
{
    return 255 * (value * kDeviation[c] + kMean[c]);
}

} // namespace

TEST_CASE("one colour stays that colour at every size, normalised")
{
    const std::string file = test::jpegBytes(100, 80, test::plain(200, 120, 40));
    for (const int size : {1, 7, 64, 150}) {
        CAPTURE(size);
        const auto pixels = resized(file, {{10, 10, 71, 60}, false}, size, 3, true);
        for (std::size_t i = 0; i < pixels.size(); i += 3) {
            REQUIRE(byteOf(pixels[i], 0) == doctest::Approx(200).epsilon(0.015));
            REQUIRE(byteOf(pixels[i + 1], 1) == doctest::Approx(120).epsilon(0.02));
            REQUIRE(byteOf(pixels[i + 2], 2) == doctest::Approx(40).epsilon(0.08));
        }
    }
    const auto grey = resized(file, {{10, 10, 71, 60}, false}, 20, 1, false);
    for (const float value : grey)
        REQUIRE(255 * (value * kGreyDeviation + kGreyMean) == doctest::Approx(134.8).epsilon(0.02));
}

TEST_CASE("a ramp stays where it is, at any reduction")
{
    const std::string file = test::jpegBytes(512, 512, test::ramp(512, 512));
    for (const int size : {300, 200, 100, 50}) {
        CAPTURE(size);
        const Rectangle crop{64, 32, 400, 440};
        const auto pixels = resized(file, {crop, false}, size, 3, true);
        for (int y = 0; y < size; y += 7)
            for (int x = 0; x < size; x += 7) {
                const float inX = 64 + (float(x) + 0.5F) * 400 / float(size);
                const float inY = 32 + (float(y) + 0.5F) * 440 / float(size);
                const float* pixel = pixels.data() + 3 * (y * size + x);
                REQUIRE(std::abs(byteOf(pixel[0], 0) - 255 * inX / 512) < 5);
                REQUIRE(std::abs(byteOf(pixel[1], 1) - 255 * inY / 512) < 5);
            }
    }
}

TEST_CASE("layouts hold the same values, and a mirrored picture is mirrored")
{
    const std::string file = test::jpegBytes(90, 90, test::ramp(90, 90));
    constexpr int size = 33;
    const Rectangle crop{3, 5, 80, 70};
    const auto pixels = resized(file, {crop, false}, size, 3, true);
    const auto planes = resized(file, {crop, false}, size, 3, false);
    const auto mirrored = resized(file, {crop, true}, size, 3, true);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            for (int c = 0; c < 3; ++c) {
                const float value = pixels[(y * size + x) * 3 + c];
                REQUIRE(planes[(c * size + y) * size + x] == value);
                REQUIRE(mirrored[(y * size + size - 1 - x) * 3 + c] == value);
            }
}
