// SPDX-License-Identifier: MIT
#include "agent/worker/data/jpegdecoder.h"
#include "tests/worker/data/jpegfiles.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>

using namespace ringside;
using test::JpegKind;

namespace {

std::span<const std::uint8_t> bytesOf(const std::string& text)
{
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

struct Decoded
{
    DecodedPart part;
    int step = 4;
    std::vector<std::uint8_t> pixels;

    const std::uint8_t* at(int x, int y) const
    {
        return pixels.data() + (std::size_t(y - part.area.y) * part.area.width + (x - part.area.x)) * step;
    }
};

Result<Decoded> decode(JpegDecoder& decoder, const std::string& file, Rectangle crop, int target, int channels = 3)
{
    TRY(decoder.open(bytesOf(file)).map([](PictureSize) {}));
    Decoded decoded;
    decoded.step = JpegDecoder::bytesPerPixel(channels);
    TRY_ASSIGN(decoded.part, decoder.begin(crop, target, channels));
    const std::size_t row = std::size_t(decoded.part.area.width) * decoded.step;
    decoded.pixels.resize(row * decoded.part.area.height);
    for (int y = 0; y < decoded.part.area.height; ++y)
        TRY(decoder.readRow(decoded.pixels.data() + y * row));
    return decoded;
}

void checkColour(const std::uint8_t* pixel, int red, int green, int blue, int tolerance)
{
    CHECK(std::abs(pixel[0] - red) <= tolerance);
    CHECK(std::abs(pixel[1] - green) <= tolerance);
    CHECK(std::abs(pixel[2] - blue) <= tolerance);
}

} // namespace

TEST_CASE("a part is the same as that part of the whole")
{
    const std::string file = test::jpegBytes(300, 200, test::ramp(300, 200));
    JpegDecoder decoder;
    const auto whole = decode(decoder, file, {0, 0, 300, 200}, 500);
    REQUIRE(whole);
    for (const Rectangle crop :
         {Rectangle{0, 0, 300, 200}, {17, 33, 101, 55}, {250, 150, 50, 50}, {0, 199, 1, 1}, {299, 0, 1, 200}}) {
        CAPTURE(crop.x);
        CAPTURE(crop.y);
        const auto part = decode(decoder, file, crop, 500);
        REQUIRE(part);
        const Rectangle& area = part->part.area;
        REQUIRE(area.x <= crop.x);
        REQUIRE(area.x + area.width >= crop.x + crop.width);
        CHECK(area.y == crop.y);
        CHECK(area.height == crop.height);
        for (int y = crop.y; y < crop.y + crop.height; ++y)
            for (int x = crop.x; x < crop.x + crop.width; ++x)
                for (int c = 0; c < 3; ++c)
                    REQUIRE(std::abs(part->at(x, y)[c] - whole->at(x, y)[c]) <= 3); // chroma at the part's border
    }
}

TEST_CASE("no more is decoded than the target needs")
{
    const std::string file = test::jpegBytes(401, 301, test::plain(200, 100, 50));
    JpegDecoder decoder;
    const auto reductionFor = [&](int target) {
        const auto decoded = decode(decoder, file, {0, 0, 401, 301}, target);
        REQUIRE(decoded);
        checkColour(decoded->at(decoded->part.area.width - 1, decoded->part.area.height - 1), 200, 100, 50, 4);
        return decoded->part.reduction;
    };
    CHECK(reductionFor(302) == 1);
    CHECK(reductionFor(150) == 2);
    CHECK(reductionFor(75) == 4);
    CHECK(reductionFor(20) == 8);
}

TEST_CASE("every colour model becomes the right colours and the right luminance")
{
    for (const JpegKind kind :
         {JpegKind::colour, JpegKind::cmyk, JpegKind::adobeCmyk, JpegKind::ycck, JpegKind::progressive}) {
        CAPTURE(int(kind));
        const std::string file = test::jpegBytes(64, 48, test::plain(180, 90, 30), kind);
        JpegDecoder decoder;
        const auto colour = decode(decoder, file, {8, 8, 32, 32}, 32);
        REQUIRE(colour);
        checkColour(colour->at(20, 20), 180, 90, 30, 5);
        const auto grey = decode(decoder, file, {8, 8, 32, 32}, 32, 1);
        REQUIRE(grey);
        CHECK(std::abs(*grey->at(20, 20) - 110) <= 4);
    }
    JpegDecoder decoder;
    const std::string file = test::jpegBytes(64, 48, test::plain(180, 90, 30), JpegKind::grey);
    const auto grey = decode(decoder, file, {8, 8, 32, 32}, 32);
    REQUIRE(grey);
    checkColour(grey->at(20, 20), 110, 110, 110, 3);
}

TEST_CASE("bad bytes are an error, and the decoder goes on with the next file")
{
    const std::string good = test::jpegBytes(120, 90, test::ramp(120, 90));
    std::string zeroed = good;
    std::fill(zeroed.begin() + long(good.size()) / 2, zeroed.end() - 2, '\0');
    std::string torn = good;
    torn.replace(good.size() / 2, 20,
                 "\xff\xd7\xff\xd3\xff\xd1\xff\xd2\xff\xd0\xff\xd5\xff\xd6\xff\xd7\xff\xd0\xff\xd3");
    JpegDecoder decoder;
    for (const std::string& bad :
         {std::string(), std::string("\xff\xd8"), std::string("GIF89a, not a JPEG"), std::string(5000, '\xff'),
          good.substr(0, 100), good.substr(0, good.size() / 2), good.substr(0, good.size() - 2), torn,
          test::claimingSize(good, 65500, 65500), test::claimingSize(good, 0, 90)}) {
        const auto decoded = decode(decoder, bad, {0, 0, 120, 90}, 64);
        REQUIRE_FALSE(decoded);
        CHECK(decoded.error().code == ErrorCode::damaged);
        CHECK_FALSE(decoded.error().message.empty());
        CHECK(decode(decoder, good, {0, 0, 120, 90}, 64));
    }
    decode(decoder, zeroed, {0, 0, 120, 90}, 64).map([](const Decoded&) {
    }); // zeros may be valid code: must only not crash
}

TEST_CASE("random damage never does more than fail")
{
    const std::string good = test::jpegBytes(160, 120, test::ramp(160, 120), JpegKind::progressive);
    JpegDecoder decoder;
    unsigned state = 1;
    const auto draw = [&](std::size_t n) { return (state = state * 1664525u + 1013904223u) % unsigned(n); };
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        std::string bad = good;
        for (unsigned k = 0; k < 1 + draw(8); ++k)
            bad[draw(bad.size())] = char(draw(256));
        const auto size = decoder.open(bytesOf(bad));
        const bool sane = size && size->width <= 4000 && size->height <= 4000;
        if (!sane || !decode(decoder, bad, {0, 0, size->width, size->height}, 64))
            ++refused;
    }
    CHECK(refused > 0);
    CHECK(decode(decoder, good, {0, 0, 160, 120}, 64));
}

TEST_CASE("trailing bytes behind the end marker are no damage")
{
    JpegDecoder decoder;
    const std::string file = test::jpegBytes(64, 64, test::plain(1, 2, 3)) + std::string(300, '\0');
    CHECK(decode(decoder, file, {0, 0, 64, 64}, 64));
}
