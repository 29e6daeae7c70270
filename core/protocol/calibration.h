// SPDX-License-Identifier: MIT
// Capabilities of a site, as `ringside-worker calibrate` measures them inside an allocation. JSON, in facts.json of a
// calibration run, and by itself on standard output.
#pragma once

#include "core/base/error.h"
#include "core/protocol/names.h"
#include "core/protocol/settings.h"

#include <array>
#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr int kCalibrationFormat = 1;

/// The level of the setting `engine` whose runs calibrate in place of training.
inline constexpr const char* kCalibrationEngine = "calibration";
/// Iterations of a calibration run: what is measured one after the other, and on a GPU so many more.
inline constexpr int kCalibrationSteps = 9, kGpuCalibrationSteps = 2;

/// The device and transport of the ranks, in the words of a run's settings. Where one of these differs, what a message
/// costs may, too.
struct CalibrationMeans
{
    std::string device = "cpu";
    std::string backend = "launcher";
    std::string interface = std::string(kAnyInterface);
    auto operator<=>(const CalibrationMeans&) const = default;

    bool withGpu() const { return device == "cuda"; }
    int steps() const { return kCalibrationSteps + (withGpu() ? kGpuCalibrationSteps : 0); }
};

/// Returns the means of a run with these settings.
CalibrationMeans meansOf(const Settings& settings);
/// The other way; only what differs from the above, so that what was written before there was a choice stays the same.
Settings unusualOf(const CalibrationMeans& means);

/// Rates of one rank, per second, while all ranks do the same; over the ranks that measured.
struct RankRate
{
    double median = 0; ///< 0: not measured
    double lowest = 0;
    bool operator==(const RankRate&) const = default;
};

/// Between whom.
enum class LinkLevel
{
    node,  ///< the ranks of rank 0's node
    nodes, ///< one rank of each node
    all    ///< all ranks, where nodes have several
};
constexpr auto namesOf(LinkLevel)
{
    return std::to_array<std::string_view>({"node", "nodes", "all"});
}
enum class LinkOperation
{
    pingPong, ///< half a round trip between the first two
    allReduce,
    stream ///< one way between two, many messages under way at once: only in imported calibrations
};
constexpr auto namesOf(LinkOperation)
{
    return std::to_array<std::string_view>({"ping_pong", "all_reduce", "stream"});
}

struct MessageTime
{
    std::uint64_t bytes = 0;
    double seconds = 0; ///< median over repetitions of the slowest rank
    bool operator==(const MessageTime&) const = default;
};

/// A message of at most `upTo` bytes takes latency + bytes · perByte; the last segment also holds for longer ones.
struct CostSegment
{
    std::uint64_t upTo = 0;
    double latency = 0; ///< s, not negative
    double perByte = 0; ///< s, not negative
    bool operator==(const CostSegment&) const = default;
};

struct LinkCost
{
    LinkLevel level = LinkLevel::node;
    LinkOperation operation = LinkOperation::pingPong;
    int ranks = 0;
    std::vector<MessageTime> times;    ///< by size
    std::vector<CostSegment> segments; ///< fitted to them (core/model/costfit.h)
    bool inGpuMemory = false;          ///< messages lay in the GPUs' memory, or in the hosts'
    bool areMeans = false;             ///< times are means over ranks, or those of the slowest rank, as Ringside's are
    bool operator==(const LinkCost&) const = default;
};

/// Rates of the GPU of a rank while the GPUs of all ranks do the same.
struct GpuRates
{
    RankRate fp32Flops;     ///< matrix products; factors are not rounded to TF32
    RankRate tf32Flops;     ///< the same, where they may be
    RankRate bf16Flops;     ///< of bfloat16 numbers
    RankRate memoryBytes;   ///< read and written while a large array of its memory is copied
    RankRate toDeviceBytes; ///< from page-locked memory of the host
    RankRate toHostBytes;   ///< the other way
    bool operator==(const GpuRates&) const = default;
};

struct Calibration
{
    int ranks = 1;
    int nodes = 1;
    int coresPerRank = 1;
    RankRate gemmFlops;   ///< float32 matrix products on the cores of a rank
    RankRate memoryBytes; ///< read and written while a large array is copied, by the cores of a rank
    RankRate diskBytes;   ///< read by one rank of each node
    std::string diskHow;  ///< how cold that read was
    RankRate pictures;    ///< JPEG pictures decoded and resized by one core
    std::vector<LinkCost> links;
    CalibrationMeans means = {};
    std::optional<GpuRates> gpu = {}; ///< on device “cuda”
    bool operator==(const Calibration&) const = default;

    /// nullptr: not measured.
    const LinkCost* link(LinkLevel level, LinkOperation operation) const;
};

/// About a second of reading and all-reducing before the first iteration of an attempt and after its last; one of each
/// rank. Its results are compared with those of a calibration.
struct Canary
{
    std::int64_t atNs = 0;
    bool after = false;                   ///< after the last iteration, or before the first
    std::uint64_t readBytesPerSecond = 0; ///< 0: this rank did not read; one of each node does
    std::int64_t allReduceNs = 0;         ///< of 1 MiB, the slowest rank's median; 0: there is one rank
    bool operator==(const Canary&) const = default;
};

/// Cost of an all-reduce of a run by a calibration of its site: goes with the run where its plan asks for it.
struct CalibratedCost
{
    int run = 0;              ///< number of the run that calibrated
    std::int64_t endedNs = 0; ///< when it ended; wall clock
    std::string transport;    ///< by which its ranks spoke; of another one it says nothing
    std::vector<CostSegment> segments;
    bool operator==(const CalibratedCost&) const = default;
};

nlohmann::json toJson(const Calibration& calibration);
Result<Calibration> calibrationFromJson(const nlohmann::json& json);

nlohmann::json toJson(const CalibratedCost& cost);
Result<CalibratedCost> calibratedCostFromJson(const nlohmann::json& json);

} // namespace ringside
