// SPDX-License-Identifier: MIT
// Writing large data files: room on the disk, a new file, its bytes on the disk, and how far it is.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <cstdint>
#include <string_view>

namespace ringside {

/// Fails with noSpace where `folder` has less than `bytes` free and some to spare for spools and logs; `what` names the
/// data. Where free space is unknown, writing will fail instead.
Result<void> checkSpace(const fs::path& folder, std::uintmax_t bytes, std::string_view what);

/// A file that was not there before, mode 0600. Written data stay in the kernel's cache until flush(). Errors as of
/// systemError.
class NewFile
{
public:
    static Result<NewFile> create(const fs::path& path);

    Result<void> append(std::string_view bytes);
    Result<void> flush();
    /// Once, last: some file systems report only here that a write failed.
    Result<void> close();

private:
    NewFile(Descriptor file, fs::path path)
        : m_file(std::move(file))
        , m_path(std::move(path))
    {
    }

    Descriptor m_file;
    fs::path m_path;
};

/// A file that was not there before, whole; not flushed to the disk.
Result<void> writeNewFile(const fs::path& path, std::string_view bytes);

/// All files of the file system that holds `folder` at once; for many files. Errors as of systemError.
Result<void> flushFileSystem(const fs::path& folder);

/// "<what>: 300 of 1000" on stderr, some ten times in all; nothing where there are few.
void sayProgress(const char* what, std::size_t done, std::size_t all);

} // namespace ringside
