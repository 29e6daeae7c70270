// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/storedattempt.h"

#include "app/charts/loadtrace.h"
#include "app/text/text.h"
#include "app/widgets/numbers.h"

#include "core/store/gemmrate.h"
#include "core/store/queries.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside {

namespace {

constexpr int kStoredIterations = 5'000; // per rank
constexpr int kFewestIterations = 20;    // however many ranks there are: phases and lateness need some

/// So many that all ranks together have StoredAttempt::kMostSamples at most.
int iterationsOf(int ranks)
{
    return std::clamp(StoredAttempt::kMostSamples / std::max(1, ranks), kFewestIterations, kStoredIterations);
}

/// In the order in which it came live, so that what is added up over the ranks has a value of each. Clocks of hosts are
/// not comparable: what counts is the time since a rank's first reading. At the same time the lowest rank is the last.
template <class Reading> void orderAsArrived(std::vector<Reading>& readings)
{
    std::map<int, std::int64_t> firstNs;
    for (const Reading& each : readings)
        firstNs.try_emplace(each.rank, each.telemetry.atNs);
    const auto when = [&](const Reading& each) {
        return std::pair(each.telemetry.atNs - firstNs[each.rank], -each.rank);
    };
    std::ranges::stable_sort(readings, {}, when);
}

Result<std::optional<AggregationPlan>> planOf(const store::Database& db, const RunId& run, int)
{
    TRY_ASSIGN(const auto row, store::runById(db, run));
    return row ? store::planOf(db, *row) : std::optional<AggregationPlan>();
}

} // namespace

std::optional<double> RunWork::shareOfGemmRate(double itemsPerSecond) const
{
    return flopsPerImage && gemmRate ? std::optional(*flopsPerImage * itemsPerSecond / *gemmRate) : std::nullopt;
}

Result<RunWork> RunWork::read(const store::Database& db, const RunId& run, int attempt)
{
    RunWork work;
    TRY_ASSIGN(const auto facts, store::facts(db, run, attempt));
    work.flopsPerImage = facts ? ringside::flopsPerImage(*facts) : std::nullopt;
    TRY_ASSIGN(const auto row, store::runById(db, run));
    if (row && work.flopsPerImage) {
        TRY_ASSIGN(work.gemmRate, store::gemmRate(db, *row));
    }
    return work;
}

Result<StoredAttempt> StoredAttempt::read(const store::Database& db, const RunId& run, int attempt, int ranks,
                                          const std::stop_token& stop)
{
    const auto ask = [&](auto query, auto... more) {
        using Reply = decltype(query(db, run, attempt, more...));
        return stop.stop_requested() ? Reply(fail(ErrorCode::cancelled, toUtf8(tr("This run is no longer shown."))))
                                     : query(db, run, attempt, more...);
    };
    StoredAttempt stored;
    TRY_ASSIGN(stored.samples, ask(store::samples, iterationsOf(ranks)));
    const auto first = std::ranges::min_element(stored.samples, {}, [](const auto& each) { return each.sample.seq; });
    if (first != stored.samples.end()) {
        TRY_ASSIGN(stored.earlier, ask(store::steadyWork, first->sample.seq));
    }
    TRY_ASSIGN(stored.series, ask(store::series));
    TRY_ASSIGN(stored.telemetry, ask(store::telemetry, LoadTrace::kPoints));
    orderAsArrived(stored.telemetry);
    TRY_ASSIGN(stored.gpuTelemetry, ask(store::gpuTelemetry, LoadTrace::kPoints));
    orderAsArrived(stored.gpuTelemetry);
    TRY_ASSIGN(stored.clocks, ask(store::clockOffsets));
    TRY_ASSIGN(stored.work, ask(RunWork::read));
    TRY_ASSIGN(stored.plan, ask(planOf));
    return stored;
}

Result<RankPlace> RankPlace::read(const store::Database& db, const RunId& run, int attempt, int rank)
{
    RankPlace place;
    TRY_ASSIGN(const auto facts, store::facts(db, run, attempt));
    if (facts)
        for (const RankFacts& each : facts->ranks)
            if (each.rank == rank)
                place = {each.host, each.device, each.cores, each.place, each.links, {}};
    TRY_ASSIGN(const auto clocks, store::clockOffsets(db, run, attempt));
    for (const store::RankClockOffset& each : clocks)
        if (each.rank == rank)
            place.clock = each.clock;
    return place;
}

QString RankPlace::inWords(const QString& who) const
{
    QStringList parts;
    for (const std::string& part : {host, device})
        if (!part.empty())
            parts << toQt(part);
    if (!cores.empty())
        parts << tr("cores %1").arg(toQt(cores));
    for (const std::string& part : {place, links})
        if (!part.empty())
            parts << toQt(part);
    const QString where = parts.isEmpty() ? tr("its facts have not arrived") : parts.join(QStringLiteral(", "));
    const QString text = tr("%1: %2.", "rank, where it is").arg(who, where);
    if (!clock || std::abs(clock->offsetNs) <= clock->uncertaintyNs) // indistinguishable from rank 0's
        return text;
    const QString apart = Numbers::withDecimals(std::abs(double(clock->offsetNs)) / 1e9, 3);
    const QString unknown = Numbers::threeDigits(double(clock->uncertaintyNs) / 1e3);
    const QString times = clock->offsetNs >= 0 ? tr("Its clock is %1 s behind that of rank 0, ± %2 µs.")
                                               : tr("Its clock is %1 s ahead of that of rank 0, ± %2 µs.");
    return text + QLatin1Char(' ') + times.arg(apart, unknown);
}

} // namespace ringside
