// SPDX-License-Identifier: MIT
// The spool: one append-only file per rank and attempt. Layout in PROTOCOL.md. The spool is the truth; whatever reads
// it reads whole blocks, so a torn last block is simply not there yet.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr std::uint32_t kSpoolFormat = 1;
/// A block holds at most a flush interval's records; the cap only bounds what a damaged length can make a reader
/// buffer.
inline constexpr std::uint32_t kMaxSpoolBlockBytes = 4u << 20;

/// The head of a spool: enough to use it without any other file.
struct SpoolHeader
{
    FileId file; ///< new for every file; a cursor names it
    RunId run;
    std::uint32_t attempt = 1;
    std::uint32_t rank = 0;
    std::uint32_t worldSize = 1;
    std::string host;
    std::uint32_t iterations = 0;
    std::uint32_t warmup = 0;
    bool operator==(const SpoolHeader&) const = default;
};

/// Encodes records into blocks. Not thread-safe. Does no I/O: the caller writes what `takeBlock` returns.
class SpoolEncoder
{
public:
    static std::string encodeHeader(const SpoolHeader& header);
    void add(const Record& record);
    /// Leaves out what was added since the block had this length; no sample is among it.
    void cutTo(std::size_t bytes) { m_payload.resize(bytes); }
    bool empty() const { return m_payload.empty(); }
    /// Length, checksum and records added since the last call, as one block; empty if there are none.
    std::string takeBlock();

    std::size_t bytes() const { return m_payload.size(); } ///< of the block that is being filled
    std::uint32_t samples() const { return m_samples; }    ///< in the block that is being filled

private:
    std::string m_payload;
    std::uint32_t m_samples = 0;
};

/// The hosts that read a file while it is written.
enum class Readers
{
    here,
    elsewhere ///< other hosts, too: what was written may stay in this one's memory for half a minute
};

/// Appends blocks to the file. Blocking. One writer per file; an existing file is an error.
/// While the disk is full (or the file cannot be written for another reason) blocks are held, up to 64 MiB, and written
/// by a later flush; samples of blocks beyond that are dropped and counted. Destruction closes and does not flush.
class SpoolWriter
{
public:
    static Result<SpoolWriter> create(const fs::path& path, const SpoolHeader& header, Readers readers = Readers::here);

    /// A record that no block can hold, as the timings of 150,000 messages, is left out.
    void add(const Record& record);
    /// Writes what was added as one block. The file then holds it; fsync is not needed against the death of a process.
    /// An error (noSpace above all) says that something is held back; calling again tries again.
    Result<void> flush();
    /// For readers elsewhere: they see what was flushed. Only now is it known that there was room for it: what is lost
    /// on the way is held, and written again by a later flush.
    Result<void> sync();
    std::uint64_t droppedSamples() const { return m_dropped; }

private:
    SpoolWriter(Descriptor file, fs::path path, Readers readers)
        : m_file(std::move(file))
        , m_path(std::move(path))
        , m_readers(readers)
    {
    }
    void holdBlock();
    Result<void> writeHeld();
    void dropWritten();
    Error cannotWrite(int reason);

    Descriptor m_file;
    fs::path m_path;
    Readers m_readers;
    SpoolEncoder m_encoder;
    std::string m_held;
    std::size_t m_written = 0; ///< of what is held: in the file, for all that is known
    std::uint64_t m_safe = 0;  ///< bytes of the file before that
    std::uint64_t m_dropped = 0;
};

/// A state machine over partial input: feed bytes in pieces of any size, read records.
/// After an error it stays in error: a spool is never guessed at.
class SpoolReader
{
public:
    /// Starts at the head of a file, or (`blockOffset` > 0) at a block border with a header known from before.
    explicit SpoolReader(std::uint64_t blockOffset = 0);

    /// Consumes whole blocks, calls `onRecord` for each known record (unknown types are skipped by their length).
    /// Returns an error for damage or a newer format; the offset then names the last good block border.
    Result<void> feed(std::string_view bytes, const std::function<void(const Record&)>& onRecord);

    /// Set once the header was read; empty when started at a later offset.
    const std::optional<SpoolHeader>& header() const { return m_header; }
    /// Byte offset of the border after the last whole block: the cursor.
    std::uint64_t offset() const { return m_offset; }

private:
    Result<std::size_t> consumeHeader(std::string_view bytes);
    Result<std::size_t> consumeBlock(std::string_view bytes, const std::function<void(const Record&)>& onRecord);

    std::optional<SpoolHeader> m_header;
    std::uint64_t m_offset = 0;
    bool m_expectHeader = true;
    std::string m_pending;
    std::optional<Error> m_error;
};

} // namespace ringside
