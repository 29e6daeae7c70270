// SPDX-License-Identifier: MIT
// One append-only file of a campaign, sent piece by piece from a cursor on.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/wire/messages.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::relay {

/// A file as a FileChunk names it.
struct FollowedFile
{
    fs::path absolute;
    std::string path; ///< relative to the root
    CampaignId campaign;
    wire::FileKind kind = wire::FileKind::journal;
    RunId run;
    int attempt = 0;
    int rank = -1;
};

class FileFollower
{
public:
    /// Goes on at the cursor if the file is still the one that it names, else from the start.
    FileFollower(FollowedFile file, std::optional<wire::Cursor> cursor)
        : m_file(std::move(file))
        , m_cursor(std::move(cursor))
    {
    }

    /// The next piece, by open, read and close, up to the next hole; nullopt if there is nothing new, the file is not
    /// there (yet), or it goes on with a hole. Blocking, milliseconds. A file that cannot be read is not there.
    std::optional<wire::FileChunk> next();

    /// Nothing more is written to the file, so that no hole will be filled: a spool or facts with a hole are sent with
    /// a part of it, by which their reader sees where they break off.
    void close() { m_isClosed = true; }

    /// A log; the app has said how many bytes of it it has.
    bool isKnownLog() const { return m_file.kind == wire::FileKind::log && m_cursor; }
    /// Nothing was behind the last piece when it was read.
    bool drained() const { return m_drained; }
    /// Nothing more will be sent: facts were, the limit of a log is reached, or the beginning of what is no spool or a
    /// part of a hole was (enough for its reader to refuse it by name).
    bool finished() const;
    /// Relative to the root.
    const std::string& path() const { return m_file.path; }
    /// Empty until a piece was read.
    const std::string& fileId() const { return m_fileId; }

private:
    bool identify(int fd);
    std::size_t limit(int fd) const;
    std::string readPiece(int fd);

    FollowedFile m_file;
    std::optional<wire::Cursor> m_cursor;
    std::string m_fileId;
    std::uint64_t m_offset = 0;
    bool m_isForeign = false; ///< under a spool's name, but none
    bool m_isClosed = false;
    bool m_isBroken = false; ///< a part of a hole was sent
    bool m_drained = false;
};

} // namespace ringside::relay
