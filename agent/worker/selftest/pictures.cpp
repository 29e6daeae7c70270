// SPDX-License-Identifier: MIT
// JPEG decoding, and packed records.
#include "agent/worker/selftest/selftest.h"

#ifdef RINGSIDE_WITH_JPEG
#include "agent/worker/data/jpegdecoder.h"
#include "agent/worker/data/jpegencoder.h"
#include "agent/worker/data/records.h"
#include "core/base/privatefolder.h"
#endif

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ringside {

namespace {

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
        return failed(error.error());
    return passedIf(*error <= 3, fmt::format("mean error {:.2f} of 255, at most 3", *error));
}

constexpr int kPictures = 6;

/// Two classes; the file formats do not look into pictures.
Result<PictureSet> writePictures(const fs::path& folder)
{
    std::error_code problem;
    for (int i = 0; i < kPictures; ++i) {
        const fs::path path = folder / fmt::format("class-{}", i % 2) / fmt::format("{}.jpg", i);
        fs::create_directories(path.parent_path(), problem);
        TRY(writeFileAtomically(path,
                                std::string(static_cast<std::size_t>(1'000 * i + 1), static_cast<char>('a' + i))));
    }
    return scanPictures(folder);
}

Result<bool> isSame(const PictureSet& set, const PictureSet& packed, std::size_t i)
{
    FileReader one(false), other(false);
    TRY_ASSIGN(const auto bytes, set.read(i, one));
    TRY_ASSIGN(const auto again, packed.read(i, other));
    return set.pictures[i].name == packed.pictures[i].name && set.pictures[i].label == packed.pictures[i].label &&
           std::ranges::equal(bytes, again);
}

Result<bool> readsBack(const fs::path& folder)
{
    TRY_ASSIGN(const PictureSet set, writePictures(folder / "pictures"));
    TRY(packRecords(set, folder / "packed"));
    TRY_ASSIGN(const PictureSet packed, openRecords(folder / "packed"));
    bool same = packed.pictures.size() == kPictures && set.pictures.size() == kPictures;
    for (std::size_t i = 0; same && i < set.pictures.size(); ++i) {
        TRY_ASSIGN(same, isSame(set, packed, i));
    }
    return same;
}

CheckResult packedRecords()
{
    const PrivateFolder folder;
    const auto same = folder.make().and_then([&] { return readsBack(folder.path()); });
    if (!same)
        return failed(same.error());
    return passedIf(*same, fmt::format("names, labels and bytes of {} pictures; exactly", kPictures));
}
#else
CheckResult needsJpeg()
{
    return skipped("built without libjpeg-turbo");
}
constexpr auto jpegRoundTrip = needsJpeg;
constexpr auto packedRecords = needsJpeg;
#endif

} // namespace

std::vector<Check> pictureChecks()
{
    return {{"JPEG decoding", jpegRoundTrip}, {"packed records read back", packedRecords}};
}

} // namespace ringside
