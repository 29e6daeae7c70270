// SPDX-License-Identifier: MIT
// A folder of JPEG files and their labels.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

struct Picture
{
    std::string name;       ///< below the set's folder: "class/file.jpg", or "file.jpg" in a flat folder
    std::int64_t label = 0; ///< index of the class folder
    std::uint64_t bytes = 0;
};

struct PictureSet
{
    fs::path folder;
    std::vector<Picture> pictures; ///< sorted by name
    int classes = 0;

    std::uint64_t bytes() const;
    /// CRC-32C over names and sizes, in hexadecimal: tells two data sets apart without reading them.
    std::string checksum() const;
};

/// Class folders with .jpg or .jpeg files (any case) directly in them; their names, sorted by bytes, are the labels 0,
/// 1, … Without any, the folder's own files are one class. Hidden names are passed over, links are followed. Blocking:
/// one look at every file. Errors: notFound (no folder, no pictures), permission, io.
Result<PictureSet> scanPictures(const fs::path& folder);

} // namespace ringside
