// SPDX-License-Identifier: MIT
// Parameter counts, timers, JPEG decoding.
#include "agent/worker/data/batchsource.h"
#include "agent/worker/models/models.h"
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/timing/stampcost.h"

#ifdef RINGSIDE_WITH_JPEG
#include "agent/worker/data/jpegdecoder.h"
#include "agent/worker/data/jpegencoder.h"
#endif

#include <cmath>
#include <fmt/format.h>

namespace ringside {

namespace {

CheckResult parameterCounts()
{
    std::string found;
    bool good = true;
    for (const auto& entry : models()) {
        const auto count = entry.make({.classes = entry.classes})->parameterCount();
        good = good && count == entry.parameters;
        found += fmt::format("{}{} {}", found.empty() ? "" : ", ", entry.name, count);
    }
    return passedIf(good, found + "; exactly the published numbers");
}

CheckResult clockResolution()
{
    const double resolution = measureStampCost().resolutionNs;
    return passedIf(resolution <= 1000, fmt::format("{:.0f} ns, at most 1000", resolution));
}

/// 0.5 % of an iteration of 10 ms over the 8 stamps of an iteration.
CheckResult stampCost()
{
    const double cost = measureStampCost().nsPerStamp;
    return passedIf(cost <= 6000, fmt::format("{:.0f} ns, at most 6000", cost));
}

#ifdef RINGSIDE_WITH_JPEG
constexpr int kSide = 64;

/// Grey, brighter from left to right.
YccPicture ramp()
{
    YccPicture picture{kSide, kSide, {}};
    for (int i = 0; i < kSide * kSide; ++i)
        picture.pixels.insert(picture.pixels.end(), {static_cast<std::uint8_t>(4 * (i % kSide)), 128, 128});
    return picture;
}

/// Mean deviation from the ramp, in steps of 255.
Result<double> deviation(std::string_view jpeg)
{
    JpegDecoder decoder;
    TRY(decoder.open({reinterpret_cast<const std::uint8_t*>(jpeg.data()), jpeg.size()}));
    TRY_ASSIGN(const auto part, decoder.begin({0, 0, kSide, kSide}, kSide, 1));
    std::vector<std::uint8_t> row(static_cast<std::size_t>(part.area.width));
    double sum = 0;
    for (int y = 0; y < kSide; ++y) {
        TRY(decoder.readRow(row.data()));
        for (int x = 0; x < kSide; ++x)
            sum += std::abs(row[static_cast<std::size_t>(x)] - 4 * x);
    }
    return sum / (kSide * kSide);
}

CheckResult jpegRoundTrip()
{
    JpegEncoder encoder(92);
    const auto jpeg = encoder.encode(ramp());
    const auto error = jpeg ? deviation(*jpeg) : tl::unexpected(jpeg.error());
    if (!error)
        return passedIf(false, error.error().text());
    return passedIf(*error <= 3, fmt::format("mean error {:.2f} of 255, at most 3", *error));
}
#else
CheckResult jpegRoundTrip()
{
    return skipped("built without libjpeg-turbo");
}
#endif

} // namespace

std::vector<Check> modelChecks()
{
    return {{"parameter counts", parameterCounts}};
}

std::vector<Check> timerChecks()
{
    return {{"resolution of the monotonic clock", clockResolution}, {"cost of a stamp", stampCost}};
}

std::vector<Check> pictureChecks()
{
    return {{"JPEG decoding", jpegRoundTrip}};
}

} // namespace ringside
