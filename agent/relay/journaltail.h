// SPDX-License-Identifier: MIT
// Reads the journal as its lines arrive: their meaning, and their exact bytes for followers.
#pragma once

#include "agent/relay/filefollower.h"
#include "core/protocol/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::relay {

struct JournalLine
{
    std::string bytes;                 ///< with its newline
    std::uint64_t offset = 0;          ///< of its first byte in the file
    std::optional<JournalEvent> event; ///< nullopt for a line that this version cannot read
};

class JournalTail
{
public:
    explicit JournalTail(FollowedFile journal)
        : m_follower(std::move(journal), std::nullopt)
    {
    }

    /// Whole lines that were appended since the last call. Blocking, milliseconds.
    std::vector<JournalLine> read();
    const std::string& path() const { return m_follower.path(); }
    /// Empty until something was read.
    const std::string& fileId() const { return m_follower.fileId(); }

private:
    FileFollower m_follower;
    std::string m_partial;
    std::uint64_t m_offset = 0; ///< of m_partial
};

} // namespace ringside::relay
