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

Result<SpoolWriter> SpoolWriter::create(const fs::path& path, const SpoolHeader& header)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot create"), path, errno));
    SpoolWriter writer(std::move(file), path);
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
    std::size_t written = 0;
    int reason = 0;
    while (written < m_held.size() && reason == 0) {
        const ssize_t n = ::write(m_file.get(), m_held.data() + written, m_held.size() - written);
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
