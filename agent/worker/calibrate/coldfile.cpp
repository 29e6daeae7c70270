// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/coldfile.h"

#include "agent/worker/data/random.h"
#include "core/base/clock.h"
#include "core/base/openfile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

/// Leaves no pages of the file behind.
class WithoutPages
{
public:
    explicit WithoutPages(const OpenFile& file)
        : m_file(file)
    {
        drop();
    }
    ~WithoutPages() { drop(); }
    WithoutPages(const WithoutPages&) = delete;
    WithoutPages& operator=(const WithoutPages&) = delete;

private:
    void drop() const { m_file.dropPages(0, m_file.size()); }

    const OpenFile& m_file;
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
    TRY_ASSIGN(const OpenFile file, OpenFile::open(path, Links::followed));
    const WithoutPages withoutPages(file);
    std::vector<std::uint8_t> piece(kPiece);
    const auto storedBefore = storageBytes();
    const auto began = monotonicNs(), end = began + toNs(limit);
    ColdRead read;
    while (monotonicNs() < end) {
        TRY_ASSIGN(const std::size_t bytes, file.read(piece, read.bytes));
        if (bytes == 0)
            break;
        read.bytes += bytes;
    }
    read.seconds = static_cast<double>(monotonicNs() - began) / 1e9;
    const auto stored = static_cast<double>(storageBytes() - storedBefore);
    read.fromStorage = read.bytes ? std::min(1.0, stored / static_cast<double>(read.bytes)) : 0; // it reads ahead
    return read;
}

} // namespace ringside
