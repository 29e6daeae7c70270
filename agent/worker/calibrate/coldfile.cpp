// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/coldfile.h"

#include "agent/worker/data/random.h"
#include "core/base/clock.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace ringside {

namespace {

constexpr std::size_t kPiece = 1u << 20;

std::string incompressible()
{
    std::string bytes(kColdFileBytes, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bits = randomBits(1, at);
        std::memcpy(bytes.data() + at, &bits, sizeof bits);
    }
    return bytes;
}

/// Bytes that this process has read from storage so far; 0 where the kernel does not count.
std::uint64_t storageBytes()
{
    const auto text = readFile("/proc/self/io", 4096).value_or("");
    const auto at = text.find("read_bytes:");
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 11, nullptr, 10);
}

class OpenFile
{
public:
    explicit OpenFile(const fs::path& path)
        : m_file(open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
    }
    ~OpenFile()
    {
        drop();
        if (m_file >= 0)
            close(m_file);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const { return m_file; }
    void drop() const
    {
        if (m_file >= 0)
            posix_fadvise(m_file, 0, 0, POSIX_FADV_DONTNEED);
    }

private:
    int m_file;
};

} // namespace

Result<fs::path> provideColdFile(const fs::path& folder)
{
    const fs::path file = folder / kColdFileName;
    std::error_code ignored;
    if (fs::file_size(file, ignored) == kColdFileBytes)
        return file;
    TRY(makePrivateFolder(folder));
    TRY(writeFileAtomically(file, incompressible()));
    return file;
}

Result<ColdRead> readCold(const fs::path& path, std::chrono::milliseconds limit)
{
    const OpenFile file(path);
    if (file.get() < 0)
        return tl::unexpected(systemError("Cannot read", path, errno));
    file.drop();
    std::vector<char> piece(kPiece);
    const auto storedBefore = storageBytes();
    const auto began = monotonicNs(), end = began + std::chrono::nanoseconds(limit).count();
    ColdRead read;
    while (monotonicNs() < end) {
        const ssize_t n = ::read(file.get(), piece.data(), piece.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("Cannot read", path, errno));
        if (n == 0)
            break;
        read.bytes += static_cast<std::uint64_t>(n);
    }
    read.seconds = static_cast<double>(monotonicNs() - began) / 1e9;
    const auto stored = static_cast<double>(storageBytes() - storedBefore);
    read.fromStorage = read.bytes ? std::min(1.0, stored / static_cast<double>(read.bytes)) : 0; // it reads ahead
    return read;
}

} // namespace ringside
