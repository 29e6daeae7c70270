// SPDX-License-Identifier: MIT
#include "agent/relay/filefollower.h"

#include "core/base/regularfile.h"
#include "core/protocol/facts.h"
#include "core/protocol/spool.h"
#include "core/wire/frames.h"

#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace ringside::relay {

namespace {

/// Logs are read by people: the beginning says what went wrong, and a rank that prints without end fills no app.
constexpr std::uint64_t kMaxLogBytes = 1u << 20;
/// A spool's header, host name included, is far shorter.
constexpr std::size_t kMaxHeaderBytes = 4096;

/// Most looks find little or nothing: what they read goes through one buffer, and the string is as long as that.
std::string readAt(int fd, std::uint64_t offset, std::size_t limit)
{
    static thread_local std::vector<char> buffer;
    buffer.resize(std::max(buffer.size(), limit));
    const ssize_t n = ::pread(fd, buffer.data(), limit, static_cast<off_t>(offset));
    return {buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

std::string idOfInode(int fd)
{
    struct stat info;
    return ::fstat(fd, &info) == 0 ? fmt::format("inode-{}-{}", info.st_dev, info.st_ino) : std::string{};
}

/// Its id, empty as long as its head is not whole; and whether it is no spool at all.
std::pair<std::string, bool> identifySpool(int fd)
{
    SpoolReader reader;
    const auto fed = reader.feed(readAt(fd, 0, kMaxHeaderBytes), [](const Record&) {});
    if (reader.header())
        return {reader.header()->file.str(), false};
    if (fed)
        return {};
    return {idOfInode(fd), true};
}

/// Less is no reason to ask for holes, which is a journey to the server: no file system has shorter ones between data.
constexpr std::size_t kShortestHole = 512;

/// Gigabytes of zeros that were never written are no news, and on a network file system a gap may be filled a moment
/// later. A hole may be longer than the piece at both ends.
bool mayHaveHole(const std::string& piece)
{
    return !piece.empty() && (piece.front() == '\0' || piece.back() == '\0' ||
                              piece.find(std::string(kShortestHole, '\0')) != piece.npos);
}

} // namespace

bool FileFollower::finished() const
{
    if (m_file.kind == wire::FileKind::facts || m_isForeign)
        return m_offset > 0;
    if (m_isBroken)
        return true;
    return m_file.kind == wire::FileKind::log && m_offset >= kMaxLogBytes;
}

std::optional<wire::FileChunk> FileFollower::next()
{
    m_drained = true;
    const auto opened =
        finished() ? Result<Descriptor>(fail(ErrorCode::notFound, {})) : openRegularFile(m_file.absolute);
    if (!opened)
        return std::nullopt;
    const int fd = opened->get();
    const std::string bytes = identify(fd) ? readPiece(fd) : std::string{};
    m_drained = m_offset + bytes.size() >= sizeOfFile(fd) || bytes.empty();
    if (bytes.empty())
        return std::nullopt;
    wire::FileChunk chunk{m_file.campaign, m_file.run, m_file.attempt, m_file.kind, m_file.rank,
                          m_file.path,     m_fileId,   m_offset,       bytes,       m_drained};
    m_offset += bytes.size();
    return chunk;
}

/// True once the file says who it is. A cursor of another file, or beyond the end, counts for nothing.
bool FileFollower::identify(int fd)
{
    if (!m_fileId.empty())
        return true;
    if (!m_isClosed && isHole(fd, 0))
        return false;
    if (m_file.kind == wire::FileKind::spool)
        std::tie(m_fileId, m_isForeign) = identifySpool(fd);
    else
        m_fileId = idOfInode(fd);
    if (m_cursor && m_cursor->fileId == m_fileId && m_cursor->offset <= sizeOfFile(fd))
        m_offset = m_cursor->offset;
    return !m_fileId.empty();
}

/// The limit of a piece.
std::size_t FileFollower::limit(int fd) const
{
    switch (m_file.kind) {
    case wire::FileKind::facts: // of use only whole; of those that are too long, so much that their reader sees it
        return std::min<std::uint64_t>(sizeOfFile(fd) - m_offset, kMaxFactsBytes + 1);
    case wire::FileKind::log:
        return std::min<std::uint64_t>(wire::kChunkBytes, kMaxLogBytes - m_offset);
    default:
        return wire::kChunkBytes;
    }
}

std::string FileFollower::readPiece(int fd)
{
    const std::size_t most = limit(fd);
    std::string piece = readAt(fd, m_offset, most);
    if (!mayHaveHole(piece))
        return piece;
    const std::uint64_t end = endOfData(fd, m_offset);
    const bool hasHole = end < m_offset + piece.size();
    if (hasHole && m_isClosed && m_file.kind != wire::FileKind::log) {
        m_isBroken = true;
        return piece;
    }
    if (hasHole && m_file.kind == wire::FileKind::facts) // of use only whole
        return {};
    return readAt(fd, m_offset, std::min<std::uint64_t>(most, end - m_offset)); // what was no hole then
}

} // namespace ringside::relay
