// SPDX-License-Identifier: GPL-3.0-or-later
// The live throughput of one attempt: samples of all ranks in, a bounded number of points out. No Qt; one thread.
#pragma once

#include "core/protocol/sample.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ringside {

/// Throughput over a span of iterations: the median of their rates, the lowest and the highest. Items per second.
struct TracePoint
{
    double iteration = 0; ///< the last one in the span
    double low = 0, median = 0, high = 0;
    bool operator==(const TracePoint&) const = default;
};

/// Stores one point per second, whatever the rate of samples: a day is 86,400 points of 32 bytes.
class ThroughputTrace
{
public:
    /// `ranks`: those of the run; one sample may be of several.
    explicit ThroughputTrace(int ranks = 1, std::uint32_t warmup = 0);

    /// A rank's samples come in their order, the ranks among each other as they like. An iteration counts once every
    /// rank has delivered it; so do several that each of them has in one sample, as one.
    void add(int rank, const Sample& sample);

    /// Adds a rank's work after its warm-up and before the first sample that is added here; its time began then, and
    /// its samples lasted `lengthNs`.
    void addEarlier(int rank, std::uint64_t items, std::int64_t beginNs, std::int64_t lengthNs);

    /// The seconds so far, the present one included, or single iterations while the first second lasts; neighbours are
    /// joined until at most `columns` are left.
    std::vector<TracePoint> points(int columns) const;
    /// The most of them that one such point covers; 0: each is a single iteration, or one sample of several.
    int secondsPerPoint(int columns) const;

    /// The median rate of the last second; nullopt before the first whole iteration.
    std::optional<double> now() const;
    /// Items of all ranks over the longest rank's time since the end of warm-up (DESIGN, section 3); nullopt until all
    /// of them have delivered some. Missing samples cost no time.
    std::optional<double> sinceWarmup() const;
    std::optional<std::uint32_t> lastIteration() const { return m_last; }

private:
    /// One iteration, or the several of a sample, as far as ranks have delivered it.
    struct Iteration
    {
        int samples = 0;
        std::int64_t ranks = 0; ///< covered by them
        std::uint32_t covered = 0;
        std::uint64_t items = 0;
        std::int64_t longestNs = 0;
    };
    struct Rate
    {
        std::uint32_t seq;
        double itemsPerSecond;
    };
    /// One rank's work since the end of its last warm-up iteration.
    struct Steady
    {
        std::uint64_t items = 0;
        std::optional<std::int64_t> beginNs;
        std::int64_t endNs = 0;
        std::int64_t lengthNs = 0; ///< of its samples
        std::uint32_t nextSeq = 0;
        bool isInParts = false; ///< between its samples may be time that belongs to none
        std::uint32_t ofRanks = 1;
    };

    void complete(std::uint32_t seq, const Iteration& iteration);
    TracePoint present() const;
    std::vector<TracePoint> eachIteration() const; ///< of the second that is not over

    int m_ranks;
    std::uint32_t m_warmup;
    std::map<std::uint32_t, Iteration> m_incomplete;
    std::map<int, Steady> m_steady;
    std::vector<TracePoint> m_seconds; ///< those that are over
    std::vector<Rate> m_rates;         ///< of the second that is not
    double m_secondsLength = 0;        ///< time in m_rates, s
    std::optional<std::uint32_t> m_last;
};

} // namespace ringside
