// SPDX-License-Identifier: MIT
// JPEG files of all kinds that turn up in people's folders, made for tests.
#pragma once

#include "core/base/files.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace ringside::test {

enum class JpegKind
{
    colour,
    grey,
    cmyk,
    adobeCmyk,
    ycck,
    progressive
};

/// Red, green and blue; a picture says them for each place.
using Colour = std::array<std::uint8_t, 3>;
using Paint = std::function<Colour(int x, int y)>;

/// One colour all over.
Paint plain(std::uint8_t red, std::uint8_t green, std::uint8_t blue);
/// Smooth, and different everywhere.
Paint ramp(int width, int height);
/// Returns the picture in the file at `path`, stretched to the given size. Fails the test if it cannot be read.
Paint photograph(const fs::path& path, int width, int height);

/// A file of the given kind at quality 95 that shows `paint`.
std::string jpegBytes(int width, int height, const Paint& paint, JpegKind kind = JpegKind::colour);

void writeBytes(const fs::path& path, const std::string& bytes);

/// A valid file whose header claims other dimensions.
std::string claimingSize(std::string bytes, int width, int height);

} // namespace ringside::test
