// SPDX-License-Identifier: MIT
// Stores what runs leave behind: decoded spool records, journal events, facts. A record that was stored before is
// recognised by its key and left as it is, so a replay changes nothing.
#pragma once

#include "core/campaign/runchange.h"
#include "core/protocol/plausible.h"
#include "core/protocol/spool.h"
#include "core/store/database.h"
#include "core/store/rows.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside::store {

/// Records of one rank, as they follow each other in its spool, and how far that file is then read.
struct SpoolArrival
{
    CampaignId campaign;
    RunId run;
    int attempt = 1;
    int rank = 0;
    std::optional<SpoolHeader> header; ///< with the first records of a file
    std::vector<Record> records;
    std::vector<RefusedRecord> refused = {}; ///< left out of the records; leaves the attempt incomplete
    StoredCursor cursor;
};

/// The journal of a campaign is read this far. Goes with the changes that were read from it.
struct JournalCursor
{
    CampaignId campaign;
    StoredCursor cursor;
};

struct FactsArrival
{
    RunId run;
    int attempt = 1;
    std::string json; ///< valid JSON
};

using Arrival = std::variant<SpoolArrival, campaign::RunChange, JournalCursor, FactsArrival>;

/// Prepared statements over one writable connection. The ingest thread's own.
class Ingest
{
public:
    /// `db` must outlive it.
    static Result<Ingest> create(Database& db);
    Ingest(Ingest&&) noexcept;
    ~Ingest();

    /// Stores everything in one transaction, cursors with their rows: afterwards all of it is there, or on an error
    /// (a full disk, say) nothing, and the same call may be made again; usage: one of them has a value for which there
    /// is no place. Returns how many samples were new.
    /// Arrivals of runs that this store does not know (deleted meanwhile) are passed over.
    Result<std::int64_t> drain(const std::vector<Arrival>& arrivals);
    /// The same within a transaction of the caller's.
    Result<std::int64_t> add(const std::vector<Arrival>& arrivals);

private:
    struct Statements;
    explicit Ingest(std::unique_ptr<Statements> statements);
    std::unique_ptr<Statements> m_statements;
};

} // namespace ringside::store
