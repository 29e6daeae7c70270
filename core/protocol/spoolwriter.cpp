// SPDX-License-Identifier: MIT
#include "core/protocol/spool.h"

#include "core/base/words.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::size_t kMaxHeldBytes = 64u << 20; // about an hour of 8 ranks' samples while room is made on the disk

} // namespace

SpoolWriter::SpoolWriter(int fd, fs::path path)
    : m_fd(fd)
    , m_path(std::move(path))
{
}

SpoolWriter::SpoolWriter(SpoolWriter&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_path(std::move(other.m_path))
    , m_encoder(std::move(other.m_encoder))
    , m_held(std::move(other.m_held))
    , m_dropped(other.m_dropped)
{
}

SpoolWriter& SpoolWriter::operator=(SpoolWriter&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    std::swap(m_path, other.m_path);
    std::swap(m_encoder, other.m_encoder);
    std::swap(m_held, other.m_held);
    std::swap(m_dropped, other.m_dropped);
    return *this;
}

SpoolWriter::~SpoolWriter()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Result<SpoolWriter> SpoolWriter::create(const fs::path& path, const SpoolHeader& header)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return tl::unexpected(systemError(Words::noop("cannot create"), path, errno));
    SpoolWriter writer(fd, path);
    writer.m_held = SpoolEncoder::encodeHeader(header);
    if (const auto written = writer.writeHeld(); !written && written.error().code != ErrorCode::noSpace)
        return tl::unexpected(written.error());
    return writer; // on a full disk the header is held like everything that follows it
}

void SpoolWriter::add(const Record& record)
{
    m_encoder.add(record);
    if (m_encoder.bytes() >= kMaxSpoolBlockBytes / 2)
        holdBlock(); // never a block that readers refuse, however rare the flushes
}

Result<void> SpoolWriter::flush()
{
    holdBlock();
    return writeHeld();
}

void SpoolWriter::holdBlock()
{
    const std::uint32_t samples = m_encoder.samples();
    std::string block = m_encoder.takeBlock();
    if (m_held.size() + block.size() <= kMaxHeldBytes)
        m_held += block;
    else
        m_dropped += samples;
}

Result<void> SpoolWriter::writeHeld()
{
    std::size_t written = 0;
    int reason = 0;
    while (written < m_held.size() && reason == 0) {
        const ssize_t n = ::write(m_fd, m_held.data() + written, m_held.size() - written);
        if (n >= 0)
            written += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            reason = errno;
    }
    m_held.erase(0, written); // a part of a block may be in the file: the rest follows it
    if (reason != 0)
        return tl::unexpected(systemError(Words::noop("cannot write"), m_path, reason));
    return {};
}

} // namespace ringside
