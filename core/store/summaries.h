// SPDX-License-Identifier: MIT
// Lists and comparisons read these instead of samples: per-rank sums and a short series, written when an attempt ends.
// Both follow from the samples alone and can be made anew at any time.
#pragma once

#include "core/base/error.h"
#include "core/stats/throughput.h"
#include "core/store/database.h"
#include "core/store/rows.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace SQLite {
class Statement;
} // namespace SQLite

namespace ringside::store {

/// At most this many points per attempt (DESIGN section 11).
inline constexpr int kMaxSeriesPoints = 500;

using ReportProblem = std::function<void(const Error&)>;

/// Makes summary, series, flags and items_per_second, from their samples, of ended attempts to which something was
/// added since they were summarised, and returns the runs. One transaction. Cheap when there are none. An attempt of
/// which no summary can be made is flagged incomplete, and reported to `report`. Fails, even when there are none, once
/// the file is no longer at its place.
Result<std::vector<RunId>> refreshSummaries(Database& db, const ReportProblem& report = {});

/// Throughput of all ranks over spans of iterations; `samples` by rank and seq, of every rank or of some.
/// A point covers ceil(iterations / kMaxSeriesPoints) iterations; an iteration's rate is the items of all its ranks
/// over its longest rank's length. Iterations that a rank lacks are left out. A sample of several has one rate, in its
/// middle; where ranks' samples end with the same iteration and cover different ones, there is none. Pure.
std::vector<SeriesPoint> makeSeries(const std::vector<RankSample>& samples, int worldSize);

/// Numbers of iterations of a run's ranks.
enum class Counts
{
    areEqual, ///< of our own engine, whatever of them is known
    mayDiffer ///< of other systems
};
std::vector<stats::RankWork> workOf(const std::vector<RankSummary>& ranks, Counts counts);

/// Reading rows of `summary` and `samples`. For this folder.
std::string summaryColumns();
std::string sampleColumns();
inline constexpr int kSampleColumnCount = 13 + static_cast<int>(kPhaseCount);
/// A loss that is NULL is not a number: SQLite has no NaN.
void readSummary(SQLite::Statement& row, RankSummary& rank);
std::vector<RankSummary> summariesOf(SQLite::Database& db, std::int64_t attempt);

} // namespace ringside::store
