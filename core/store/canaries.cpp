// SPDX-License-Identifier: MIT
#include "core/store/canaries.h"

#include "core/base/words.h"
#include "core/protocol/facts.h"
#include "core/stats/disturbed.h"
#include "core/store/guard.h"
#include "core/store/statements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ringside::store {

namespace {

/// Few configurations calibrate: from them to their runs, not from all attempts. By what network their ranks speak is
/// a matter of two settings, and of what the launcher made of them.
constexpr const char* kCalibratedBefore = R"sql(
SELECT ca.id, cr.number,
       coalesce(json_extract(cs.settings, '$.interface'), ?3) = coalesce(json_extract(s.settings, '$.interface'), ?3)
       AND coalesce(json_extract(cs.settings, '$.backend'), 'launcher') = coalesce(json_extract(s.settings, '$.backend'), 'launcher')
       AND json_extract(cf.json, '$.transport') IS json_extract(f.json, '$.transport')
FROM attempts a JOIN runs r ON r.number = a.run JOIN configurations s ON s.key = r.configuration
LEFT JOIN facts f ON f.attempt = a.id
CROSS JOIN configurations cs
CROSS JOIN runs cr ON cr.configuration = cs.key AND cr.site = r.site
CROSS JOIN attempts ca ON ca.run = cr.number AND ca.state = 'done' AND ca.ended_ns <= a.started_ns
LEFT JOIN facts cf ON cf.attempt = ca.id
WHERE a.id = ?1 AND json_extract(cs.settings, '$.engine') = ?2 AND json_extract(s.settings, '$.engine') IS NOT ?2
      AND coalesce(json_extract(cs.settings, '$.ranks'), 1) = coalesce(json_extract(s.settings, '$.ranks'), 1)
      AND coalesce(json_extract(cs.settings, '$.nodes'), 1) = coalesce(json_extract(s.settings, '$.nodes'), 1)
ORDER BY instr(ca.flags, 'disturbed') > 0, ca.ended_ns DESC LIMIT 100)sql";

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
struct Rates
{
    double read = 0, allReduce = 0;
};
using RatesByRank = std::map<int, Rates>;

RatesByRank ratesOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db,
                         "SELECT rank, coalesce(avg(read_bytes_per_second), 0), coalesce(avg(all_reduce_ns), 0) "
                         "FROM canaries WHERE attempt = ? GROUP BY rank",
                         attempt);
    RatesByRank ranks;
    while (query.executeStep())
        ranks[query.getColumn(0)] = {query.getColumn(1).getDouble(), query.getColumn(2).getDouble()};
    return ranks;
}

struct Calibrated
{
    int run = 0; ///< its number; 0: there is none
    RatesByRank ranks;

    Rates of(int rank) const
    {
        const auto found = ranks.find(rank);
        return found == ranks.end() ? Rates{} : found->second;
    }
};

/// A disk is the same by whatever network ranks speak; an all-reduce is not.
struct CalibratedBefore
{
    Calibrated latest, sameNetwork;
};

CalibratedBefore calibratedBefore(SQLite::Database& db, std::int64_t attempt)
{
    CalibratedBefore found;
    auto query = prepare(db, kCalibratedBefore, attempt, kCalibrationEngine, sqlText(kAnyInterface));
    while (found.sameNetwork.run == 0 && query.executeStep()) {
        const bool isLatest = found.latest.run == 0, isSame = query.getColumn(2).getInt() != 0;
        if (!isLatest && !isSame)
            continue;
        const Calibrated each{query.getColumn(1), ratesOf(db, query.getColumn(0).getInt64())};
        if (isLatest)
            found.latest = each;
        if (isSame)
            found.sameNetwork = each;
    }
    return found;
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
    const auto [latest, sameNetwork] = calibratedBefore(db, attempt);
    for (const auto& [rank, canary] : measured) {
        const auto read = static_cast<double>(canary.readBytesPerSecond);
        if (const auto change = stats::offCalibration(read, latest.of(rank).read))
            off.push_back({rank, canary.after, true, *change, latest.run});
        const auto allReduceNs = static_cast<double>(canary.allReduceNs);
        if (const auto change = stats::offCalibration(sameNetwork.of(rank).allReduce, allReduceNs)) // of rates
            off.push_back({rank, canary.after, false, *change, sameNetwork.run});
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

bool SiteCalibration::isDisturbed() const
{
    return std::ranges::find(flags, "disturbed") != flags.end();
}

Result<std::vector<SiteCalibration>> calibrations(const Database& db, const std::string& site)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), kCalibrationsOf, kCalibrationEngine, site);
        std::vector<SiteCalibration> found;
        std::set<std::tuple<int, int, int, CalibrationMeans>> told, toldInPeace;
        while (query.executeStep()) {
            const auto facts = factsFromJson(query.getColumn(3).getString());
            if (!facts || !facts->calibration)
                continue; // of an attempt that wrote none, or by a later version
            const Calibration& each = *facts->calibration;
            const SiteCalibration known{query.getColumn(0), query.getColumn(1).getInt64(), facts->transport,
                                        storedFlags(query.getColumn(2).getString()), each};
            const std::tuple shape(each.ranks, each.nodes, each.coresPerRank, each.means);
            const bool isFirst = told.insert(shape).second;
            if (known.isDisturbed() ? isFirst : toldInPeace.insert(shape).second)
                found.push_back(known);
        }
        return found;
    });
}

} // namespace ringside::store
