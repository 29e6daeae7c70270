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

/// nullopt: not known. Roles stand behind them.
std::optional<int> rankProcessesOf(SQLite::Database& db, std::int64_t attempt)
{
    const int processes =
        valueOf(db, 0,
                "SELECT coalesce(r.rank_processes, json_extract(c.settings, '$.ranks')) FROM attempts a "
                "JOIN runs r ON r.number = a.run JOIN configurations c ON c.key = r.configuration WHERE a.id = ?",
                attempt);
    return processes > 0 ? std::optional(processes) : std::nullopt;
}

/// Returns the spans of processes that are ranks; none where one reports for others, whose load its own does not show.
std::map<int, Span> spansOfRanks(SQLite::Database& db, std::int64_t attempt)
{
    std::map<int, Span> spans = spansOf(db, attempt);
    const auto processes = rankProcessesOf(db, attempt);
    if (!processes)
        return spans;
    std::erase_if(spans, [&](const auto& entry) { return entry.first >= *processes; });
    return static_cast<int>(spans.size()) == *processes ? spans : std::map<int, Span>();
}

} // namespace

void writeUtilisation(SQLite::Database& db, std::int64_t attempt)
{
    const std::map<int, Span> spans = spansOfRanks(db, attempt);
    Insert setCores(db, "UPDATE summary SET own_cores_share = ?3 WHERE attempt = ?1 AND rank = ?2");
    for (const auto& [rank, readings] : readingsIn<double>(spans, db, kOwnCores, Sees::since, attempt))
        setCores(attempt, rank, stats::meanShare(readings));
    Insert setGpu(db, "UPDATE summary SET gpu_busy_share = nullif(?3, 0.0) WHERE attempt = ?1 AND rank = ?2");
    for (const auto& [rank, readings] : readingsIn<double>(spans, db, kGpuBusy, Sees::now, attempt))
        setGpu(attempt, rank, stats::meanShare(readings));
}

} // namespace ringside::store
