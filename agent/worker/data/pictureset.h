// SPDX-License-Identifier: MIT
// JPEG pictures and their labels: a folder of files, or packed into one.
#pragma once

#include "agent/worker/data/filereader.h"
#include "core/base/folderlock.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside {

struct Picture
{
    std::string name;       ///< below the set's folder: "class/file.jpg", or "file.jpg" in a flat folder
    std::int64_t label = 0; ///< index of the class folder
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0; ///< in the packed file
};

struct PictureSet
{
    fs::path folder;               ///< or the packed file
    std::vector<Picture> pictures; ///< sorted by name
    int classes = 0;
    std::shared_ptr<const OpenFile> packed;      ///< null: each picture is a file of its own
    std::shared_ptr<const FolderLock> kept = {}; ///< of a node's copy: not removed while it is used

    std::uint64_t bytes() const;
    /// CRC-32C over names and sizes, in hexadecimal: distinguishes two data sets without reading them.
    std::string checksum() const;
    /// Returns the path of picture number i, for messages.
    fs::path pathOf(std::size_t i) const { return folder / pictures[i].name; }
    /// Its bytes, as of FileReader.
    Result<std::span<const std::uint8_t>> read(std::size_t i, FileReader& reader) const;
};

/// Class folders with .jpg or .jpeg files (any case) directly in them; their names, sorted by bytes, are the labels 0,
/// 1, … Without any, the folder's own files are one class. Hidden names are passed over, links are followed. Blocking:
/// one look at every file. Errors: notFound (no folder, no pictures), permission, io.
Result<PictureSet> scanPictures(const fs::path& folder);

} // namespace ringside
