// SPDX-License-Identifier: MIT
// Packed records: the pictures of a set in one file, behind an index.
#pragma once

#include "agent/worker/data/pictureset.h"

#include <chrono>

namespace ringside {

// The file, all numbers little-endian:
//
//   bytes   field
//   8       "RINGRECS"
//   u32     format, 1
//   u32     classes
//   u64     pictures
//   u64     bytes of the index
//   u64     bytes of the whole file
//   u32     CRC-32C of the index
//   u32     CRC-32C of all before
//   then the index, for each picture in the order of names:
//   u64     where its bytes begin in the file
//   u32     how many they are; 0 for a picture that is empty
//   u32     label
//   u16     length of its name, then the name as of Picture::name
//   then the pictures: JPEG files as they were
inline constexpr std::uint32_t kRecordsFormat = 1;
inline constexpr std::size_t kRecordsHeaderBytes = 48;

/// Returns the file with a folder's packed records: <folder>.records beside it.
fs::path recordsOf(const fs::path& folder);

/// The set in a file of packed records; its pictures come out in the same order and with the same labels as from the
/// folder. Reads the index only. Every number is checked before it is used: damaged says what is wrong with the file.
Result<PictureSet> openRecords(const fs::path& file);

/// Writes the set under another name, flushes it to the disk and renames it to `file`, so that readers never see a part
/// and a cold cache can be made. Fails with damaged where a picture is too large, or other than when it was scanned.
/// Progress lines on stdout. Further errors: noSpace, permission, io.
Result<void> packRecords(const PictureSet& set, const fs::path& file);

/// The set from recordsOf(its folder), packed if the file is not there or has another set. Several processes may call
/// this at once: one packs, by a lock that dies with it, the others wait, at most `limit`. A file that is damaged or
/// none of records is not touched.
Result<PictureSet> openPacked(const PictureSet& set, std::chrono::seconds limit = std::chrono::hours(2));

} // namespace ringside
