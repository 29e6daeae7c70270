// SPDX-License-Identifier: MIT
#include "core/store/utilisation.h"

#include "core/stats/utilisation.h"
#include "core/store/readings.h"

namespace ringside::store {

namespace {

constexpr const char* kOwnCores =
    "SELECT rank, at_ns, own_cores_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kGpuBusy =
    "SELECT rank, at_ns, busy_share FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns";

/// Roles stand behind them.
int rankProcessesOf(SQLite::Database& db, std::int64_t attempt)
{
    return valueOf(db, std::numeric_limits<int>::max(),
                   "SELECT coalesce(r.rank_processes, json_extract(c.settings, '$.ranks')) FROM attempts a "
                   "JOIN runs r ON r.number = a.run JOIN configurations c ON c.key = r.configuration WHERE a.id = ?",
                   attempt);
}

} // namespace

void writeUtilisation(SQLite::Database& db, std::int64_t attempt)
{
    std::map<int, Span> spans = spansOf(db, attempt);
    std::erase_if(spans,
                  [processes = rankProcessesOf(db, attempt)](const auto& entry) { return entry.first >= processes; });
    Insert setCores(db, "UPDATE summary SET own_cores_share = ?3 WHERE attempt = ?1 AND rank = ?2");
    for (const auto& [rank, readings] : readingsIn<double>(spans, db, kOwnCores, Sees::since, attempt))
        setCores(attempt, rank, stats::meanShare(readings));
    Insert setGpu(db, "UPDATE summary SET gpu_busy_share = nullif(?3, 0.0) WHERE attempt = ?1 AND rank = ?2");
    for (const auto& [rank, readings] : readingsIn<double>(spans, db, kGpuBusy, Sees::now, attempt))
        setGpu(attempt, rank, stats::meanShare(readings));
}

} // namespace ringside::store
