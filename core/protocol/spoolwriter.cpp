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

Result<SpoolWriter> SpoolWriter::create(const fs::path& path, const SpoolHeader& header, Readers readers)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot create"), path, errno));
    SpoolWriter writer(std::move(file), path, readers);
    writer.m_held = SpoolEncoder::encodeHeader(header);
    if (const auto written = writer.writeHeld(); !written && written.error().code != ErrorCode::noSpace)
        return tl::unexpected(written.error());
    return writer; // on a full disk the header is held like everything that follows it
}

void SpoolWriter::add(const Record& record)
{
    const std::size_t before = m_encoder.bytes();
    m_encoder.add(record);
    if (m_encoder.bytes() > kMaxSpoolBlockBytes)
        m_encoder.cutTo(before);
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
    int reason = 0;
    while (m_written < m_held.size() && reason == 0) {
        const ssize_t n = ::pwrite(m_file.get(), m_held.data() + m_written, m_held.size() - m_written,
                                   static_cast<off_t>(m_safe + m_written));
        if (n >= 0)
            m_written += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            reason = errno;
    }
    if (m_readers == Readers::here)
        dropWritten(); // a part of a block may be in the file: the rest follows it
    if (reason != 0)
        return tl::unexpected(cannotWrite(reason));
    return {};
}

Result<void> SpoolWriter::sync()
{
    if (m_written == 0)
        return {};
    if (::fdatasync(m_file.get()) != 0)
        return tl::unexpected(cannotWrite(errno));
    dropWritten();
    return {};
}

void SpoolWriter::dropWritten()
{
    m_safe += m_written;
    m_held.erase(0, std::exchange(m_written, 0));
}

/// The kernel reports once, by whichever call comes next, that something written before did not get there: all of that
/// is written again, to its place.
Error SpoolWriter::cannotWrite(int reason)
{
    m_written = 0;
    return systemError(Words::noop("cannot write"), m_path, reason);
}

} // namespace ringside
