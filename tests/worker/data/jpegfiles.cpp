// SPDX-License-Identifier: MIT
#include "tests/worker/data/jpegfiles.h"

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <memory>
#include <vector>

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
void append(std::vector<std::uint8_t>& row, const Colour& rgb, JpegKind kind)
{
    if (kind == JpegKind::grey)
        row.push_back(std::uint8_t((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000));
    else if (!hasInks(kind))
        row.insert(row.end(), rgb.begin(), rgb.end());
    else
        for (const int light : {int(rgb[0]), int(rgb[1]), int(rgb[2]), 255})
            row.push_back(std::uint8_t(kind == JpegKind::cmyk ? 255 - light : light));
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
    return [=](int, int) { return Colour{red, green, blue}; };
}

Paint ramp(int width, int height)
{
    return [=](int x, int y) {
        return Colour{std::uint8_t(255 * x / width), std::uint8_t(255 * y / height),
                      std::uint8_t(255 * (x + y) / (width + height))};
    };
}

namespace {

struct Pixels
{
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;
};

Pixels decoded(const std::string& file)
{
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    Pixels pixels{int(jpeg.output_width), int(jpeg.output_height), {}};
    const std::size_t stride = std::size_t(pixels.width) * 3;
    pixels.rgb.resize(stride * std::size_t(pixels.height));
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels.rgb.data() + stride * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

} // namespace

Paint photograph(const fs::path& path, int width, int height)
{
    const auto file = readFile(path);
    REQUIRE_MESSAGE(file, path.string());
    const auto pixels = std::make_shared<const Pixels>(decoded(*file));
    return [=](int x, int y) {
        const std::size_t column = std::size_t(x) * std::size_t(pixels->width) / std::size_t(width);
        const std::size_t row = std::size_t(y) * std::size_t(pixels->height) / std::size_t(height);
        const std::uint8_t* rgb = &pixels->rgb[3 * (row * std::size_t(pixels->width) + column)];
        return Colour{rgb[0], rgb[1], rgb[2]};
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
            append(row, paint(x, y), kind);
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
