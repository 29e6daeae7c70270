// SPDX-License-Identifier: MIT
// Files that others may have put in place of ours: a pipe would make the reader wait for ever, a device do worse, and a
// file with holes is gigabytes of nothing. Blocking as a disk is; safe from any thread.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <cstdint>
#include <span>
#include <string>

namespace ringside {

/// At a path's end: followed where the file is this installation's own.
enum class Links
{
    refused,
    followed
};

/// To read a regular file; closed on exec. Never waits for a writer.
/// Errors: damaged for what is no regular file, else as of systemError.
Result<Descriptor> openRegularFile(const fs::path& path, Links links = Links::refused);

/// Bytes of an open file. Errors name `path`; as of systemError: a file of NFS may be gone on its server (ESTALE).
Result<std::uint64_t> sizeOfFile(int fd, const fs::path& path);
/// The same; 0 if the kernel cannot report them.
std::uint64_t sizeOfFile(int fd);

/// Fills `bytes` from `offset` on, by pread. Returns how many it was, fewer where the file ends before. Errors name
/// `path`; as of systemError.
Result<std::size_t> fillFrom(int fd, std::uint64_t offset, std::span<std::uint8_t> bytes, const fs::path& path);

/// Returns the next place from `offset` on at which nothing was ever written; the length of the file if there is none.
std::uint64_t endOfData(int fd, std::uint64_t offset);

/// True if nothing was ever written at this place of an open file, although it is longer.
bool isHole(int fd, std::uint64_t offset);

/// The whole file. Errors: as of openRegularFile; damaged, before anything is read, if it is longer than `limit` bytes
/// or has holes.
Result<std::string> readRegularFile(const fs::path& path, std::uint64_t limit);

} // namespace ringside
