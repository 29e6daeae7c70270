// SPDX-License-Identifier: MIT
#include "tests/worker/data/jpegfiles.h"

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>

#include <jpeglib.h>

namespace ringside::test {

namespace {

bool hasInks(JpegKind kind)
{
    return kind == JpegKind::cmyk || kind == JpegKind::adobeCmyk || kind == JpegKind::ycck;
}

J_COLOR_SPACE inputSpace(JpegKind kind)
{
    return hasInks(kind) ? JCS_CMYK : kind == JpegKind::grey ? JCS_GRAYSCALE : JCS_RGB;
}

/// Without black ink; Adobe's way is inverted.
std::vector<std::uint8_t> samples(const std::vector<std::uint8_t>& rgb, JpegKind kind)
{
    if (kind == JpegKind::grey)
        return {std::uint8_t((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000)};
    if (!hasInks(kind))
        return rgb;
    const bool inverted = kind != JpegKind::cmyk;
    const auto ink = [&](int light) { return std::uint8_t(inverted ? light : 255 - light); };
    return {ink(rgb[0]), ink(rgb[1]), ink(rgb[2]), ink(255)};
}

void configure(jpeg_compress_struct& jpeg, JpegKind kind)
{
    jpeg.in_color_space = inputSpace(kind);
    jpeg.input_components = hasInks(kind) ? 4 : kind == JpegKind::grey ? 1 : 3;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    if (kind == JpegKind::ycck)
        jpeg_set_colorspace(&jpeg, JCS_YCCK);
    if (hasInks(kind))
        jpeg.write_Adobe_marker = kind != JpegKind::cmyk;
    if (kind == JpegKind::progressive)
        jpeg_simple_progression(&jpeg);
}

} // namespace

Paint plain(std::uint8_t red, std::uint8_t green, std::uint8_t blue)
{
    return [=](int, int) { return std::vector<std::uint8_t>{red, green, blue}; };
}

Paint ramp(int width, int height)
{
    return [=](int x, int y) {
        return std::vector<std::uint8_t>{std::uint8_t(255 * x / width), std::uint8_t(255 * y / height),
                                         std::uint8_t(255 * (x + y) / (width + height))};
    };
}

std::string jpegBytes(int width, int height, const Paint& paint, JpegKind kind)
{
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors); // ends the test program on an error, which is right here
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = JDIMENSION(width);
    jpeg.image_height = JDIMENSION(height);
    configure(jpeg, kind);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < height; ++y) {
        std::vector<std::uint8_t> row;
        for (int x = 0; x < width; ++x)
            for (const std::uint8_t sample : samples(paint(x, y), kind))
                row.push_back(sample);
        JSAMPROW pointer = row.data();
        jpeg_write_scanlines(&jpeg, &pointer, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string file(reinterpret_cast<char*>(bytes), size);
    std::free(bytes);
    return file;
}

void writeBytes(const fs::path& path, const std::string& bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    REQUIRE(file.good());
}

std::string claimingSize(std::string bytes, int width, int height)
{
    const auto frame = bytes.find("\xff\xc0"); // start of a baseline frame: length, precision, height, width
    REQUIRE(frame != bytes.npos);
    const auto put = [&](std::size_t at, int value) {
        bytes[frame + at] = char(value >> 8);
        bytes[frame + at + 1] = char(value & 0xff);
    };
    put(5, height);
    put(7, width);
    return bytes;
}

} // namespace ringside::test
