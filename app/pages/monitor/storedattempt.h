// SPDX-License-Identifier: GPL-3.0-or-later
// The store's data of an attempt, as Monitor needs them. Blocking: for the thread of the queries.
#pragma once

#include "core/store/database.h"
#include "core/store/queries.h"
#include "core/store/rows.h"

#include <QCoreApplication>
#include <QString>
#include <stop_token>

namespace ringside {

/// The work of a run, as far as its facts have arrived and its work was counted.
struct RunWork
{
    std::optional<double> flopsPerImage; ///< forward and backward
    std::optional<double> gemmRate;      ///< of all its ranks, measured at its site: core/store/gemmrate.h

    /// 0 to 1: what so many items a second are of the measured rate.
    std::optional<double> shareOfGemmRate(double itemsPerSecond) const;

    static Result<RunWork> read(const store::Database& db, const RunId& run, int attempt);
};

struct StoredAttempt
{
    Q_DECLARE_TR_FUNCTIONS(ringside::StoredAttempt)
public:
    std::vector<store::RankSample> samples; ///< of the last iterations: more than the chart has columns
    std::vector<store::SteadyWork> earlier; ///< before those samples
    std::vector<store::SeriesPoint> series;
    std::vector<store::RankTelemetry> telemetry; ///< the last of all ranks, as it came; so the next
    std::vector<store::RankGpuTelemetry> gpuTelemetry;
    std::vector<store::RankClockOffset> clocks;
    RunWork work;
    std::optional<AggregationPlan> plan; ///< nullopt: it cannot be read

    static constexpr int kMostSamples = 200'000; ///< of all ranks; more than charts of one page show

    /// Fails with ErrorCode::cancelled soon after a stop is requested.
    static Result<StoredAttempt> read(const store::Database& db, const RunId& run, int attempt, int ranks,
                                      const std::stop_token& stop);
};

/// Place of a rank: host, device, cores and clock.
struct RankPlace
{
    Q_DECLARE_TR_FUNCTIONS(ringside::RankPlace)
public:
    std::string host, device, cores, place, links;
    std::optional<ClockOffset> clock; ///< the last one; nullopt: not measured

    /// As far as its facts have arrived.
    static Result<RankPlace> read(const store::Database& db, const RunId& run, int attempt, int rank);
    /// "Rank 2: n3, cpu, cores 0-3. Its clock is 300.003 s behind rank 0's, ± 21 µs."
    QString inWords(const QString& who) const; ///< of "Rank 3"
};

} // namespace ringside
