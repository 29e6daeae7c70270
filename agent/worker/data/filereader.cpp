// SPDX-License-Identifier: MIT
#include "agent/worker/data/filereader.h"

namespace ringside {

Result<std::span<const std::uint8_t>> FileReader::read(const fs::path& path)
{
    TRY_ASSIGN(const OpenFile file, OpenFile::open(path, Links::followed));
    return fill(file, 0, file.size()); // less where it shrank meanwhile
}

Result<std::span<const std::uint8_t>> FileReader::readPart(const OpenFile& file, std::uint64_t offset,
                                                           std::uint64_t bytes)
{
    TRY_ASSIGN(const auto read, fill(file, offset, bytes));
    if (read.size() < bytes)
        return fail(ErrorCode::damaged, fmt::format("{} became shorter while it was in use.", file.path().string()));
    return read;
}

Result<std::span<const std::uint8_t>> FileReader::fill(const OpenFile& file, std::uint64_t offset, std::uint64_t bytes)
{
    if (bytes == 0 || bytes > kLargestFile)
        return fail(ErrorCode::damaged, fmt::format("{} is empty or too large.", file.path().string()));
    if (m_coldCache)
        file.dropPages(offset, bytes);
    if (m_bytes.size() < bytes)
        m_bytes.resize(bytes);
    TRY_ASSIGN(const std::size_t done, file.read({m_bytes.data(), std::size_t(bytes)}, offset));
    return std::span<const std::uint8_t>(m_bytes.data(), done);
}

} // namespace ringside
