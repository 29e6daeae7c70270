// SPDX-License-Identifier: MIT
// One writer per database, across programs: a kernel lock on <store>-lock. The kernel lets go of it when the holder
// dies; the file's text only says who that is.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/files.h"

#include <optional>
#include <string>
#include <utility>

namespace ringside::store {

struct Writer
{
    std::string program;
    std::int64_t pid = 0;
    std::string host;
    std::string since; ///< UTC, ISO 8601

    /// "ringside-cli (process 4711 on alder, since 2026-11-21T09:14:00Z)"
    std::string text() const;
};

/// Returns the file to which links lead, be it there or not: its lock and its log lie beside it, under its own name.
fs::path fileItself(fs::path store);

/// Returns who holds the database for writing now; nullopt: it is free. Takes no lock, changes nothing.
Result<std::optional<Writer>> writerOf(const fs::path& store);

/// Held while it lives. Close-on-exec, so that a runner started meanwhile does not inherit it.
class WriterLock
{
public:
    /// ErrorCode::busy names the holder.
    static Result<WriterLock> acquire(const fs::path& store);
    WriterLock(WriterLock&&) noexcept = default;
    WriterLock& operator=(WriterLock&&) noexcept = default;
    ~WriterLock();

    /// True if the last holder died before it could let go, and no holder has opened the database since.
    bool afterUncleanExit() const { return m_afterUncleanExit; }
    /// The database could be opened for writing, and counts as whole until a holder dies again.
    void noteOpened() { m_isOpened = true; }

private:
    WriterLock(Descriptor file, bool afterUncleanExit)
        : m_file(std::move(file))
        , m_afterUncleanExit(afterUncleanExit)
    {
    }
    Descriptor m_file;
    bool m_afterUncleanExit = false;
    bool m_isOpened = false;
};

} // namespace ringside::store
