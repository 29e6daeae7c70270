// SPDX-License-Identifier: MIT
// The file that is sent.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <cstdint>
#include <string>

namespace ringside::transfer {

/// Open as long as this lives. Reading is safe from several threads.
class Source
{
public:
    /// Fails with damaged for what is no file.
    static Result<Source> open(const fs::path& path);

    std::uint64_t size() const { return m_size; } ///< when it was opened
    /// At most so many bytes from there. Fails with io where the file has become shorter.
    Result<std::string> read(std::uint64_t offset, std::size_t size) const;
    Result<std::string> sha256() const;

private:
    Source(fs::path path, Descriptor file)
        : m_path(std::move(path))
        , m_file(std::move(file))
    {
    }

    fs::path m_path;
    Descriptor m_file;
    std::uint64_t m_size = 0;
};

} // namespace ringside::transfer
