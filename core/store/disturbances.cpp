// SPDX-License-Identifier: MIT
#include "core/store/disturbances.h"

#include "core/base/words.h"
#include "core/stats/disturbed.h"
#include "core/store/canaries.h"
#include "core/store/guard.h"
#include "core/store/statements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ringside::store {

namespace {

template <class Reading> using ReadingsByRank = std::map<int, std::vector<Reading>>;

/// What `sql` finds, by rank and time.
template <class Reading> ReadingsByRank<Reading> readingsOf(SQLite::Database& db, const char* sql, std::int64_t attempt)
{
    auto query = prepare(db, sql, attempt);
    ReadingsByRank<Reading> readings;
    while (query.executeStep()) {
        const SQLite::Column value = query.getColumn(1);
        if constexpr (std::is_floating_point_v<Reading>)
            readings[query.getColumn(0)].push_back(static_cast<Reading>(value.getDouble()));
        else
            readings[query.getColumn(0)].push_back(static_cast<Reading>(value.getInt64()));
    }
    return readings;
}

std::map<int, std::string> hostsOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db, "SELECT rank, host FROM ranks WHERE attempt = ?", attempt);
    std::map<int, std::string> hosts;
    while (query.executeStep())
        hosts[query.getColumn(0)] = query.getColumn(1).getString();
    return hosts;
}

/// Ranks of one host see the same load: the most that one of them saw.
void addForeignLoad(std::vector<std::string>& sentences, SQLite::Database& db, std::int64_t attempt)
{
    const std::map<int, std::string> hosts = hostsOf(db, attempt);
    std::map<std::string, double> most;
    for (const auto& [rank, shares] : readingsOf<float>(
             db, "SELECT rank, foreign_cpu_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns", attempt)) {
        const auto host = hosts.find(rank);
        double& share = most[host == hosts.end() ? std::string() : host->second];
        share = std::max(share, stats::foreignShare(shares));
    }
    for (const auto& [host, share] : most) {
        const long percent = std::lround(share * 100);
        if (share > stats::kForeignShareLimit)
            sentences.push_back(host.empty() ? Words::tr("Other programs took {} % of the cores for a while.", percent)
                                             : Words::tr("Other programs took {} % of the cores of {} for a while.",
                                                         percent, plainText(host)));
    }
}

void addSharedGpus(std::vector<std::string>& sentences, SQLite::Database& db, std::int64_t attempt)
{
    for (const auto& [rank, others] : readingsOf<std::uint32_t>(
             db, "SELECT rank, foreign_processes FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns", attempt))
        if (stats::isGpuShared(others))
            sentences.push_back(Words::tr("Rank {}: other programs computed on its GPU.", rank));
}

} // namespace

std::vector<std::string> disturbances(SQLite::Database& db, std::int64_t attempt)
{
    std::vector<std::string> sentences;
    addForeignLoad(sentences, db, attempt);
    addSharedGpus(sentences, db, attempt);
    for (const OffCalibration& off : offCalibration(db, attempt))
        sentences.push_back(off.text());
    return sentences;
}

Result<std::vector<std::string>> disturbances(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        const auto id = attemptId(db.handle(), run, attempt);
        return id ? disturbances(db.handle(), *id) : std::vector<std::string>();
    });
}

bool isThrottled(SQLite::Database& db, std::int64_t attempt)
{
    return std::ranges::any_of(
        readingsOf<std::uint64_t>(
            db, "SELECT rank, clock_reasons FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns", attempt),
        [](const auto& rank) { return stats::isThrottled(rank.second); });
}

} // namespace ringside::store
