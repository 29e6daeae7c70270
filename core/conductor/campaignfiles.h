// SPDX-License-Identifier: MIT
// The files of one campaign, as far as they were read: pieces of bytes in, records, events and cursors out.
#pragma once

#include "core/conductor/sink.h"
#include "core/protocol/journal.h"
#include "core/protocol/spool.h"
#include "core/store/ingest.h"
#include "core/wire/messages.h"

#include <map>
#include <set>

namespace ringside {

/// Content of one chunk of a file.
struct ChunkContent
{
    std::vector<JournalEvent> events;
    std::vector<store::Arrival> arrivals; ///< for the journal its cursor; the caller adds what follows from the events
    std::optional<LogText> log;
    std::optional<Error> damage;  ///< damaged or newerVersion: what is behind the above cannot be read
    std::optional<Error> refused; ///< records were left out that cannot have been measured; reported once per file

    bool hasSamples() const;
};

/// Used from one thread.
class CampaignFiles
{
public:
    explicit CampaignFiles(const CampaignId& campaign)
        : m_campaign(campaign)
    {
    }

    /// Forgets what was read beyond these cursors; they are what is stored. Logs are not stored: they go on. `root` is
    /// the folder of all files on the site, for messages. Asks for what lies behind the cursors.
    wire::FollowRequest restart(const std::vector<store::StoredCursor>& cursors, const fs::path& root);
    /// The logs of this run, and the campaign's own, are read from their beginning when they are sent again.
    void rewindLogs(const RunId& run);

    /// Reads a chunk. Bytes that were read before are skipped; a chunk behind a gap is dropped and remembered
    /// (`hasGap`). Damage is reported once per file, with what precedes it; after that the file is left alone.
    ChunkContent read(const wire::FileChunk& chunk);

    /// True if a piece is missing: the files have to be followed anew.
    bool hasGap() const { return !m_gaps.empty(); }

    /// True if a file was left alone because only a later version of Ringside reads it.
    bool hasNewer() const;

private:
    struct File
    {
        std::string id;
        RunId run;
        wire::FileKind kind = wire::FileKind::log;
        std::uint64_t position = 0; ///< of the next byte
        SpoolReader spool;
        JournalReader journal;
        std::string held; ///< facts until they are whole; a log's last line until it ends
        bool headerTold = false;
        bool refusalTold = false;
        bool failed = false;
        bool isNewer = false; ///< why it failed
    };

    File& fileOf(const wire::FileChunk& chunk);
    Error refusal(const wire::FileChunk& chunk, const Error& why) const;
    Error leftOut(const wire::FileChunk& chunk) const;
    ChunkContent readKind(File& file, const wire::FileChunk& chunk, std::string_view bytes);
    ChunkContent readJournal(File& file, const wire::FileChunk& chunk, std::string_view bytes);
    ChunkContent readSpool(File& file, const wire::FileChunk& chunk, std::string_view bytes);
    ChunkContent readFacts(File& file, const wire::FileChunk& chunk, std::string_view bytes);
    ChunkContent readLog(File& file, const wire::FileChunk& chunk, std::string_view bytes);

    CampaignId m_campaign;
    fs::path m_root;
    std::map<std::string, File> m_files;                ///< by path
    std::map<std::string, store::StoredCursor> m_known; ///< stored, but not touched since the last restart
    std::set<std::string> m_gaps;
};

} // namespace ringside
