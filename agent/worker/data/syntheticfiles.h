// SPDX-License-Identifier: MIT
// The set of JPEG files behind source `synthetic-files`: written once, shared by all runs.
#pragma once

#include "agent/worker/data/pictureset.h"

#include <chrono>

namespace ringside {

struct SyntheticFilesSpec
{
    int pictures = 1000; ///< at least `classes`
    int classes = 10;
    int width = 500; ///< pixels, as most of ImageNet
    int height = 375;
    int quality = 90;
    std::uint64_t seed = 1;                                ///< of the pixels; not the run's
    std::chrono::seconds limit = std::chrono::minutes(15); ///< longest wait for another process that writes the set
};

struct SyntheticFiles
{
    PictureSet set;
    std::string checksum; ///< CRC-32C of all bytes, in hexadecimal, computed when they were written
};

/// The set in <dataFolder>/synthetic-files-v1 (with other than 1,000 pictures: -v1-<number>), written if it is not
/// there or not whole. It is built under another name and renamed, so readers never see a part. Several processes may
/// call this at once: one writes, by a lock that dies with it; the others wait. Where the file system has no locks, all
/// write and one wins. Progress lines on stdout. Errors: noSpace, permission, io, timeout.
Result<SyntheticFiles> openSyntheticFiles(const fs::path& dataFolder, const SyntheticFilesSpec& spec);

} // namespace ringside
