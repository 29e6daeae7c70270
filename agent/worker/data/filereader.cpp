// SPDX-License-Identifier: MIT
#include "agent/worker/data/filereader.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

namespace {

class OpenFile
{
public:
    /// Not blocking, so that a named pipe in the folder cannot hold a thread.
    explicit OpenFile(const fs::path& path)
        : m_file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
    }
    ~OpenFile()
    {
        if (m_file >= 0)
            close(m_file);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const { return m_file; }

private:
    int m_file;
};

Result<std::size_t> sizeOf(int file, const fs::path& path)
{
    struct stat status
    {
    };
    if (file < 0 || fstat(file, &status) != 0)
        return tl::unexpected(systemError("Cannot read", path, errno));
    if (!S_ISREG(status.st_mode) || status.st_size == 0 || status.st_size > FileReader::kLargestFile)
        return fail(ErrorCode::damaged, fmt::format("{} is empty, too large or no file.", path.string()));
    return std::size_t(status.st_size);
}

} // namespace

Result<std::span<const std::uint8_t>> FileReader::read(const fs::path& path)
{
    const OpenFile file(path);
    TRY_ASSIGN(const std::size_t size, sizeOf(file.get(), path));
    if (m_coldCache)
        posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (m_bytes.size() < size)
        m_bytes.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(file.get(), m_bytes.data() + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("Cannot read", path, errno));
        if (n == 0)
            break; // it shrank meanwhile
        done += std::size_t(n);
    }
    return std::span<const std::uint8_t>(m_bytes.data(), done);
}

} // namespace ringside
