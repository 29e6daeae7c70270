// SPDX-License-Identifier: MIT
// JPEG files of all kinds that turn up in people's folders, made for tests.
#pragma once

#include "core/base/files.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

/// Red, green and blue at a place.
using Paint = std::function<std::vector<std::uint8_t>(int x, int y)>;

/// One colour all over.
Paint plain(std::uint8_t red, std::uint8_t green, std::uint8_t blue);
/// Smooth, and different everywhere.
Paint ramp(int width, int height);

/// A file of the given kind at quality 95 that shows `paint`.
std::string jpegBytes(int width, int height, const Paint& paint, JpegKind kind = JpegKind::colour);

void writeBytes(const fs::path& path, const std::string& bytes);

/// A valid file whose header claims other dimensions.
std::string claimingSize(std::string bytes, int width, int height);

} // namespace ringside::test
