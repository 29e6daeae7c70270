// SPDX-License-Identifier: MIT
#include "core/logs/recordsamples.h"

#include "core/protocol/plausible.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::logs {

namespace {

constexpr double kMostSeconds = 3e8; ///< ten years: no sum of times comes near its range

bool isCount(double value)
{
    return value >= 0.5 && value <= kMaxIterations;
}

/// Work in a time.
struct Work
{
    double items = 0, seconds = 0;
};

/// The record's own words come first; what they leave open, the run's batch fills in.
std::optional<Work> workOf(const LogRecord& record, double iterations, const std::optional<double>& batch)
{
    auto items = record.items;
    auto seconds = record.seconds;
    if (!seconds && record.iterationRate)
        seconds = iterations / *record.iterationRate;
    if (!items && seconds && record.itemRate)
        items = *record.itemRate * *seconds;
    if (!items && batch)
        items = iterations * *batch;
    if (!seconds && items && record.itemRate)
        seconds = *items / *record.itemRate;
    const bool isWork = items && seconds && *items >= 0 && *items <= static_cast<double>(kMaxItems) && *seconds > 0 &&
                        *seconds < kMostSeconds;
    return isWork ? std::optional(Work{*items, *seconds}) : std::nullopt;
}

/// Phases are those of one iteration. Where they are longer than what was measured, nothing is known of them.
void setPhases(Sample& sample, std::span<const PhaseTime> phases, std::int64_t lengthNs)
{
    PhaseSet told{};
    PhaseTimes times{};
    double left = static_cast<double>(lengthNs);
    for (const PhaseTime& phase : phases) {
        const double ns = phase.seconds * 1e9 * sample.iterations;
        if (phase.phase == Phase::other)
            continue;
        if (!(ns >= 0 && ns <= left) || told.has(phase.phase)) {
            told = {};
            times = {};
            break;
        }
        told = told | PhaseSet{phase.phase};
        times[static_cast<std::size_t>(phase.phase)] = static_cast<std::int64_t>(ns);
        left -= ns;
    }
    sample.told = told;
    sample.phases = times;
    sample.phases[static_cast<std::size_t>(Phase::other)] = lengthNs - sample.lengthNs();
}

} // namespace

std::uint32_t RecordSamples::ranksOf(Scope scope) const
{
    if (scope == Scope::rank)
        return 1;
    return scope == Scope::node ? m_known.ranksPerNode : m_known.ranks;
}

std::int64_t RecordSamples::place(const LogRecord& record, std::int64_t iterations)
{
    if (!record.iteration || *record.iteration < 0 || *record.iteration > std::int64_t{kMaxIterations})
        return m_next + iterations - 1;
    if (!m_last || record.epoch != m_epoch || *record.iteration <= *m_last)
        m_offset = m_next + std::max(iterations, *record.iteration) - 1 - *record.iteration;
    else if (*record.iteration + m_offset + 1 - iterations < m_next) // it would cover some again
        m_offset = m_next + iterations - 1 - *record.iteration;
    m_epoch = record.epoch;
    m_last = record.iteration;
    return *record.iteration + m_offset;
}

float toldLoss(double loss)
{
    const auto told = static_cast<float>(loss);
    return std::isfinite(told) ? told : std::numeric_limits<float>::infinity();
}

std::optional<Sample> RecordSamples::next(const LogRecord& record, Scope scope, std::span<const PhaseTime> phases)
{
    const bool isCounted = record.iterations && isCount(*record.iterations);
    const auto iterations = isCounted ? std::llround(*record.iterations) : 1;
    const std::int64_t seq = place(record, iterations);
    m_next = std::max(m_next, seq + 1);
    const std::uint32_t ranks = ranksOf(scope);
    const auto batch = m_known.batchPerRank ? std::optional(*m_known.batchPerRank * ranks) : std::nullopt;
    const auto work = workOf(record, static_cast<double>(iterations), batch);
    if (!isCounted || !work || record.isRefused || seq >= std::int64_t{kMaxIterations})
        return std::nullopt;
    Sample sample;
    sample.seq = static_cast<std::uint32_t>(seq);
    sample.iterations = static_cast<std::uint32_t>(iterations);
    sample.ofRanks = ranks;
    sample.items = static_cast<std::uint64_t>(std::llround(work->items));
    const bool hasMeanLoss = record.loss && !record.isLossSum;
    sample.loss = hasMeanLoss ? toldLoss(*record.loss) : std::numeric_limits<float>::quiet_NaN();
    setPhases(sample, phases, std::llround(work->seconds * 1e9));
    return refusalOf(sample) ? std::nullopt : std::optional(sample);
}

} // namespace ringside::logs
