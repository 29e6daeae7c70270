// SPDX-License-Identifier: MIT
#include "core/store/disturbances.h"

#include "core/base/sequences.h"
#include "core/stats/disturbed.h"
#include "core/store/readings.h"

#include <algorithm>
#include <map>

namespace ringside::store {

namespace {

ReadingsByRank<double> foreignIn(const std::map<int, Span>& spans, SQLite::Database& db, const char* sql,
                                 std::int64_t attempt)
{
    return readingsIn<double>(spans, db, sql, Sees::since, attempt);
}

constexpr const char* kHostLoad =
    "SELECT rank, at_ns, foreign_cpu_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kCoresLoad =
    "SELECT rank, at_ns, foreign_cores_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kGpuProcesses =
    "SELECT rank, at_ns, foreign_processes FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kGpuClocks =
    "SELECT rank, at_ns, clock_reasons FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns";

std::map<int, std::string> hostsOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db, "SELECT rank, host FROM ranks WHERE attempt = ?", attempt);
    std::map<int, std::string> hosts;
    while (query.executeStep())
        hosts[query.getColumn(0)] = query.getColumn(1).getString();
    return hosts;
}

FlagReason foreign(std::string_view code, double share, std::string host, std::optional<int> rank = {})
{
    FlagReason reason{runflag::kDisturbed, sqlText(code), rank, std::move(host)};
    reason.value = share;
    reason.limit = stats::kForeignShareLimit;
    return reason;
}

void addForeignLoad(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt,
                    const std::map<int, Span>& spans)
{
    std::map<int, std::string> hosts = hostsOf(db, attempt);
    for (const auto& [rank, readings] : foreignIn(spans, db, kCoresLoad, attempt))
        if (const auto share = stats::foreignShare(readings); share > stats::kForeignShareLimit)
            reasons.push_back(foreign(flagcode::kForeignCores, *share, hosts[rank], rank));
    std::map<std::string, double> most; // ranks of one host see the same load
    for (const auto& [rank, readings] : foreignIn(spans, db, kHostLoad, attempt))
        most[hosts[rank]] = std::max(most[hosts[rank]], stats::foreignShare(readings).value_or(0));
    for (const auto& [host, share] : most)
        if (share > stats::kForeignShareLimit)
            reasons.push_back(foreign(flagcode::kForeignHost, share, host));
}

FlagReason ofRank(const char* flag, std::string_view code, int rank, std::optional<double> value = {})
{
    FlagReason reason{flag, sqlText(code), rank};
    reason.value = value;
    return reason;
}

void addGpus(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt,
             const std::map<int, Span>& spans)
{
    const auto value = [](const auto& reading) { return reading.value; };
    for (const auto& [rank, others] : readingsIn<std::int64_t>(spans, db, kGpuProcesses, Sees::now, attempt))
        if (stats::isGpuShared(others))
            reasons.push_back(ofRank(runflag::kDisturbed, flagcode::kSharedGpu, rank,
                                     static_cast<double>(std::ranges::max(others, {}, value).value)));
    for (const auto& [rank, clocks] : readingsIn<std::int64_t>(spans, db, kGpuClocks, Sees::now, attempt))
        if (const std::int64_t bits = stats::throttleReasons(clocks))
            reasons.push_back(ofRank(runflag::kThrottled, flagcode::kSlowedGpu, rank, static_cast<double>(bits)));
}

/// Training may have gone on at both ends of the time between two readings.
bool anyBegan(SQLite::Database& db, std::int64_t attempt, int rank, const stats::Reading<double>& between)
{
    return valueOf(db, false,
                   "SELECT EXISTS (SELECT 1 FROM samples WHERE attempt = ? AND rank = ? AND start_ns > ? AND "
                   "start_ns < ?)",
                   attempt, rank, between.fromNs + kUsualPeriodNs, between.toNs - kUsualPeriodNs);
}

/// A job is suspended with all of its ranks: one stands for them.
void addPauses(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt,
               const std::map<int, Span>& spans)
{
    std::optional<FlagReason> longest;
    for (const auto& [rank, readings] : readingsIn<double>(spans, db, kHostLoad, Sees::now, attempt)) {
        double seconds = 0;
        for (const auto& reading : readings)
            if (reading.seconds() > stats::kStoodStillSeconds && !anyBegan(db, attempt, rank, reading))
                seconds += reading.seconds();
        if (seconds > (longest ? *longest->value : 0)) {
            longest = ofRank(runflag::kDisturbed, flagcode::kStoodStill, rank, seconds);
            longest->limit = stats::kStoodStillSeconds;
        }
    }
    if (longest)
        reasons.push_back(*longest);
}

} // namespace

void addDisturbances(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    const std::map<int, Span> spans = spansOf(db, attempt);
    addPauses(reasons, db, attempt, spans);
    addForeignLoad(reasons, db, attempt, spans);
    addGpus(reasons, db, attempt, spans);
}

void addUnobserved(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    if (trainsNothing(db, attempt))
        return;
    const std::map<int, Span> spans = spansOf(db, attempt);
    const auto host = foreignIn(spans, db, kHostLoad, attempt);
    const auto gpu = readingsIn<std::int64_t>(spans, db, kGpuProcesses, Sees::now, attempt);
    std::map<int, Span> always;
    for (const auto& [rank, span] : spans)
        always[rank] = Span{};
    const auto anyGpu = readingsIn<std::int64_t>(always, db, kGpuProcesses, Sees::now, attempt);
    const auto isUnknown = [](const auto& reading) { return reading.value == stats::kUnknownProcesses; };
    for (const auto& [rank, span] : spans) {
        if (!host.contains(rank))
            reasons.push_back(ofRank(runflag::kUnobserved, flagcode::kNoReading, rank));
        const auto readings = gpu.find(rank);
        if (readings == gpu.end() && anyGpu.contains(rank))
            reasons.push_back(ofRank(runflag::kUnobserved, flagcode::kNoGpuReading, rank));
        if (readings != gpu.end() && std::ranges::any_of(readings->second, isUnknown))
            reasons.push_back(ofRank(runflag::kUnobserved, flagcode::kUnknownGpuProcesses, rank));
    }
}

} // namespace ringside::store
