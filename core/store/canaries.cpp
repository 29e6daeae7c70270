// SPDX-License-Identifier: MIT
#include "core/store/canaries.h"

#include "core/base/words.h"
#include "core/protocol/facts.h"
#include "core/stats/disturbed.h"
#include "core/store/guard.h"
#include "core/store/statements.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ringside::store {

namespace {

/// Few configurations calibrate: from them to their runs, not from all attempts.
constexpr const char* kCalibratedBefore = R"sql(
SELECT ca.id, cr.number
FROM attempts a JOIN runs r ON r.number = a.run JOIN configurations s ON s.key = r.configuration
CROSS JOIN configurations cs
CROSS JOIN runs cr ON cr.configuration = cs.key AND cr.site = r.site
CROSS JOIN attempts ca ON ca.run = cr.number AND ca.state = 'done' AND ca.ended_ns <= a.started_ns
WHERE a.id = ?1 AND json_extract(cs.settings, '$.engine') = ?2 AND json_extract(s.settings, '$.engine') IS NOT ?2
      AND coalesce(json_extract(cs.settings, '$.ranks'), 1) = coalesce(json_extract(s.settings, '$.ranks'), 1)
      AND coalesce(json_extract(cs.settings, '$.nodes'), 1) = coalesce(json_extract(s.settings, '$.nodes'), 1)
      AND coalesce(json_extract(cs.settings, '$.backend'), ?3) = coalesce(json_extract(s.settings, '$.backend'), ?3)
      AND coalesce(json_extract(cs.settings, '$.interface'), ?4) = coalesce(json_extract(s.settings, '$.interface'), ?4)
ORDER BY ca.ended_ns DESC LIMIT 1)sql";

constexpr const char* kCalibrationsOf = R"sql(
SELECT r.number, a.ended_ns, a.flags, f.json
FROM configurations s CROSS JOIN runs r ON r.configuration = s.key CROSS JOIN attempts a ON a.run = r.number
JOIN facts f ON f.attempt = a.id
WHERE json_extract(s.settings, '$.engine') = ?1 AND r.site = ?2 AND a.state = 'done'
ORDER BY a.ended_ns DESC LIMIT 100)sql";

std::vector<RankCanary> canariesOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db,
                         "SELECT rank, at_ns, is_after, coalesce(read_bytes_per_second, 0), coalesce(all_reduce_ns, 0) "
                         "FROM canaries WHERE attempt = ? ORDER BY rank, is_after",
                         attempt);
    std::vector<RankCanary> rows;
    while (query.executeStep())
        rows.push_back({query.getColumn(0),
                        {query.getColumn(1).getInt64(), query.getColumn(2).getInt() != 0,
                         static_cast<std::uint64_t>(query.getColumn(3).getInt64()), query.getColumn(4).getInt64()}});
    return rows;
}

/// Means over before and after; 0: not measured.
struct Calibrated
{
    double read = 0, allReduce = 0;
};

std::map<int, Calibrated> calibratedBy(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db,
                         "SELECT rank, coalesce(avg(read_bytes_per_second), 0), coalesce(avg(all_reduce_ns), 0) "
                         "FROM canaries WHERE attempt = ? GROUP BY rank",
                         attempt);
    std::map<int, Calibrated> ranks;
    while (query.executeStep())
        ranks[query.getColumn(0)] = {query.getColumn(1).getDouble(), query.getColumn(2).getDouble()};
    return ranks;
}

/// The attempt's id; nullopt: the store does not have it.
std::optional<std::int64_t> attemptId(SQLite::Database& db, const RunId& run, int attempt)
{
    auto query =
        prepare(db, "SELECT a.id FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? AND a.attempt = ?",
                run.str(), attempt);
    return query.executeStep() ? std::optional<std::int64_t>(query.getColumn(0).getInt64()) : std::nullopt;
}

} // namespace

std::string OffCalibration::text() const
{
    const int percent = static_cast<int>(std::lround(std::abs(change) * 100));
    const std::string when = after ? Words::tr("after the last iteration") : Words::tr("before the first iteration");
    if (reading)
        return change < 0 ? Words::tr("Rank {}: reading was {} % slower than at the calibration (run {}), {}.", rank,
                                      percent, calibrationRun, when)
                          : Words::tr("Rank {}: reading was {} % faster than at the calibration (run {}), {}.", rank,
                                      percent, calibrationRun, when);
    return change < 0 ? Words::tr("Rank {}: all-reduce was {} % slower than at the calibration (run {}), {}.", rank,
                                  percent, calibrationRun, when)
                      : Words::tr("Rank {}: all-reduce was {} % faster than at the calibration (run {}), {}.", rank,
                                  percent, calibrationRun, when);
}

std::vector<OffCalibration> offCalibration(SQLite::Database& db, std::int64_t attempt)
{
    std::vector<OffCalibration> off;
    const auto measured = canariesOf(db, attempt);
    if (measured.empty())
        return off;
    const CalibrationMeans usual;
    auto query = prepare(db, kCalibratedBefore, attempt, kCalibrationEngine, usual.backend, usual.interface);
    if (!query.executeStep())
        return off;
    const std::map<int, Calibrated> calibrated = calibratedBy(db, query.getColumn(0).getInt64());
    const int run = query.getColumn(1);
    for (const auto& [rank, canary] : measured) {
        const auto found = calibrated.find(rank);
        if (found == calibrated.end())
            continue;
        if (const auto change =
                stats::offCalibration(static_cast<double>(canary.readBytesPerSecond), found->second.read))
            off.push_back({rank, canary.after, true, *change, run});
        const auto allReduceNs = static_cast<double>(canary.allReduceNs);
        if (const auto change = stats::offCalibration(found->second.allReduce, allReduceNs)) // of rates: the other way
            off.push_back({rank, canary.after, false, *change, run});
    }
    return off;
}

Result<std::vector<RankCanary>> canaries(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        const auto id = attemptId(db.handle(), run, attempt);
        return id ? canariesOf(db.handle(), *id) : std::vector<RankCanary>();
    });
}

Result<std::vector<OffCalibration>> offCalibration(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        const auto id = attemptId(db.handle(), run, attempt);
        return id ? offCalibration(db.handle(), *id) : std::vector<OffCalibration>();
    });
}

Result<std::vector<SiteCalibration>> calibrations(const Database& db, const std::string& site)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), kCalibrationsOf, kCalibrationEngine, site);
        std::vector<SiteCalibration> found;
        std::set<std::tuple<int, int, int, CalibrationMeans>> shapes;
        while (query.executeStep()) {
            const auto facts = factsFromJson(query.getColumn(3).getString());
            if (!facts || !facts->calibration)
                continue; // of an attempt that wrote none, or by a later version
            const Calibration& each = *facts->calibration;
            if (shapes.emplace(each.ranks, each.nodes, each.coresPerRank, each.means).second)
                found.push_back({query.getColumn(0), query.getColumn(1).getInt64(), facts->transport,
                                 storedFlags(query.getColumn(2).getString()), each});
        }
        return found;
    });
}

} // namespace ringside::store
