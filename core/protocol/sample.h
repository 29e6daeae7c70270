// SPDX-License-Identifier: MIT
// Records of a rank: a sample per iteration, and beside it telemetry, heartbeats and details of some iterations.
// All times are nanoseconds; starts are CLOCK_MONOTONIC of the rank's host, durations never cross hosts.
#pragma once

#include "core/protocol/calibration.h"
#include "core/protocol/phase.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside {

/// One iteration on one rank, or what is known of several that follow each other only together: one observation all the
/// same. Times, items, bytes and bad items are totals of all that it covers; the loss is their mean.
struct Sample
{
    std::uint32_t seq = 0;        ///< iteration number, from 0, warm-up included; of several the last one's
    std::int64_t startNs = 0;     ///< when the iteration began
    PhaseTimes phases{};          ///< add up to the iteration's length; 0 for a phase that is not reported
    std::int64_t readNs = 0;      ///< file reading for this batch, summed over loader threads (may be hidden)
    std::int64_t decodeNs = 0;    ///< JPEG decoding and resizing for this batch, summed over loader threads
    std::int64_t h2dTotalNs = 0;  ///< copy, hidden part included
    std::int64_t commTotalNs = 0; ///< time inside collectives, hidden part included
    std::uint64_t bytesSent = 0;  ///< payload handed to collectives by this rank
    std::uint64_t items = 0;      ///< images of this rank in this iteration; a spool holds 32 bits of them (record.h)
    std::uint32_t badItems = 0;   ///< pictures that could not be decoded and were replaced
    float loss = 0;
    PhaseSet told = PhaseSet::all(); ///< the phases that it knows; the time of the others is in `other`
    std::uint32_t iterations = 1;    ///< that it covers, at least 1
    /// Owners of these items and bytes: this rank alone, or so many ranks that it spoke for all of them. Others may
    /// report for the same ones; then their items are not to be added up.
    std::uint32_t ofRanks = 1;

    std::uint32_t firstSeq() const { return seq + 1 - iterations; }
    /// One iteration of this rank alone, which can be set beside the same one of other ranks.
    bool isSingle() const { return iterations == 1 && ofRanks == 1; }
    std::int64_t lengthNs() const; ///< sum of the phases
    std::int64_t endNs() const { return startNs + lengthNs(); }
    bool operator==(const Sample&) const = default;
};

/// Load of the rank's host and process, 1 Hz by default. Counters are totals since the attempt began.
struct Telemetry
{
    std::int64_t atNs = 0;
    float cpuShare = 0;    ///< busy share of all cores of the host, 0 to 1
    float ownCpuShare = 0; ///< share of all cores that this rank uses: its process, and those it started; 0 to 1
    std::uint64_t memoryBytes = 0; ///< resident size of this rank
    std::uint64_t hostMemoryUsedBytes = 0;
    std::uint64_t diskReadBytes = 0;
    std::uint64_t networkSentBytes = 0;
    float foreignCpuShare = 0; ///< busy share that belongs to no rank of this attempt nor to Ringside, 0 to 1
    /// The same of the cores that this rank may use, 0 to 1 of them: at least that much. Older workers do not report
    /// it.
    float foreignCoresShare = kNotTold;
    /// The share that this rank uses of the cores that it may use, 0 to 1. Older workers do not report it.
    float ownCoresShare = kNotTold;
    static constexpr float kNotTold = -1;
    bool operator==(const Telemetry&) const = default;
};

/// Load of the GPU that a rank uses, or of all that one process uses (agent/gpuload/rankgpus.h), as often as Telemetry.
/// 0 is also what its driver does not report.
struct GpuTelemetry
{
    std::int64_t atNs = 0;
    float busyShare = 0; ///< of the driver's last sample period, in which a kernel ran; 0 to 1
    std::uint64_t memoryUsedBytes = 0;
    std::uint64_t memoryBytes = 0; ///< in all
    std::uint32_t powerMilliwatts = 0;
    std::uint32_t smMegahertz = 0;
    std::uint32_t memoryMegahertz = 0;
    std::uint64_t clockReasons = 0;      ///< why clocks are not at their highest; bits of NVML (nvmlClocksEventReasons)
    std::uint64_t pcieSentPerSecond = 0; ///< bytes, over the last 20 ms
    std::uint64_t pcieReceivedPerSecond = 0;
    std::uint64_t nvlinkSentBytes = 0; ///< all links, since the attempt began
    std::uint64_t nvlinkReceivedBytes = 0;
    std::uint32_t foreignProcesses = 0; ///< that compute on it and are not of this attempt, or kUnknown
    static constexpr std::uint32_t kUnknown = UINT32_MAX; ///< it is unknown whose they are
    std::uint64_t foreignMemoryBytes = 0;
    bool operator==(const GpuTelemetry&) const = default;
};

/// The state of a process towards those that it communicates with.
struct Communication
{
    std::uint64_t entered = 0; ///< calls that all of them take part in, and messages, begun so far
    bool waits = false;        ///< for others: it is inside a call, or has asked for what has not come
    bool operator==(const Communication&) const = default;
};

/// Written every 2 s by the telemetry thread: proof of life, and of progress if seq moves, or `printed` does.
struct Heartbeat
{
    std::int64_t atNs = 0;
    std::uint32_t seq = 0;
    Phase phase = Phase::other;                      ///< of the compute thread
    std::optional<Communication> communication = {}; ///< absent from older writers
    /// Bytes of output so far, of a process that is not Ringside's own; told only beside `communication`.
    std::uint64_t printed = 0;
    bool operator==(const Heartbeat&) const = default;
};

/// Communication of one bucket in one iteration. Times are relative to the iteration's start.
struct BucketTiming
{
    std::uint32_t bucket = 0;
    std::int64_t startNs = 0;
    std::int64_t lengthNs = 0;
    std::uint64_t bytes = 0;
    bool operator==(const BucketTiming&) const = default;
};

/// All buckets of one iteration; written every k-th iteration.
struct BucketTimings
{
    std::uint32_t seq = 0;
    std::vector<BucketTiming> buckets;
    bool operator==(const BucketTimings&) const = default;
};

/// One layer in one iteration. Times are relative to the iteration's start; a layer that an iteration did not pass has
/// none but zeros.
struct LayerTiming
{
    std::int64_t forwardStartNs = 0;
    std::int64_t forwardNs = 0;
    std::int64_t backwardStartNs = 0;
    std::int64_t backwardNs = 0;
    std::int64_t readyNs = 0; ///< its last gradient was handed to the aggregation
    bool operator==(const LayerTiming&) const = default;
};

/// All layers of one iteration, in the order of Facts::layers; written every k-th iteration.
struct LayerTimings
{
    std::uint32_t seq = 0;
    std::vector<LayerTiming> layers;
    bool operator==(const LayerTimings&) const = default;
};

/// A pair of readings of both clocks, so that monotonic stamps can be placed in wall time.
struct ClockPair
{
    std::int64_t monotonicNs = 0;
    std::int64_t wallNs = 0;
    bool operator==(const ClockPair&) const = default;
};

/// The difference to add to a stamp of this rank to get what rank 0's clock showed at that moment.
struct ClockOffset
{
    std::int64_t atNs = 0; ///< on this rank's clock, when it was measured
    std::int64_t offsetNs = 0;
    std::int64_t uncertaintyNs = 0; ///< the true offset is not further away
    bool operator==(const ClockOffset&) const = default;
};

/// The last record of a complete spool.
struct End
{
    std::uint32_t samples = 0; ///< how many samples the rank wrote
    std::int32_t exitCode = 0;
    std::uint64_t droppedSamples = 0;
    bool operator==(const End&) const = default;
};

/// In the order of their numbers in files (record.h), so that a further one comes last.
using Record = std::variant<Sample, Telemetry, Heartbeat, BucketTimings, LayerTimings, ClockPair, End, ClockOffset,
                            Canary, GpuTelemetry>;

} // namespace ringside
