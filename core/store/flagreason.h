// SPDX-License-Identifier: MIT
// Reasons why an attempt bears a flag, as codes and values, so that SQL can ask for them (STORE.md, flag_reasons).
// Sentences are made where they are shown: core/report/flagsentences.h.
#pragma once

#include "core/store/runflag.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside::store {

/// Names in files: never reused.
namespace flagcode {
inline constexpr std::string_view kForeignCores = "foreign_cores";          ///< of all cores that the rank may use
inline constexpr std::string_view kForeignHost = "foreign_host";            ///< of all cores of the host
inline constexpr std::string_view kStoodStill = "stood_still";              ///< the rank, for so many seconds in all
inline constexpr std::string_view kSharedGpu = "shared_gpu";                ///< by others that compute on it
inline constexpr std::string_view kUnusualRead = "unusual_read";            ///< canary: bytes per second
inline constexpr std::string_view kUnusualAllReduce = "unusual_all_reduce"; ///< canary: nanoseconds
inline constexpr std::string_view kSlowedGpu = "slowed_gpu";                ///< by heat or its supply
inline constexpr std::string_view kMissingSpools = "missing_spools";        ///< of processes; usual: all
inline constexpr std::string_view kOpenSpools = "open_spools";              ///< without an end
inline constexpr std::string_view kDroppedSamples = "dropped_samples";      ///< for want of room on the site's disk
inline constexpr std::string_view kRefusedRecords = "refused_records";      ///< that cannot have been measured
inline constexpr std::string_view kNoSummary = "no_summary";                ///< its samples cannot be summed up
inline constexpr std::string_view kMissingSamples = "missing_samples";      ///< of iterations; usual: all
inline constexpr std::string_view kEndedEarly = "ended_early";      ///< a system, after so many iterations; usual: all
inline constexpr std::string_view kNoReading = "no_reading";        ///< of the rank's host in its window
inline constexpr std::string_view kNoGpuReading = "no_gpu_reading"; ///< of the rank's GPU in its window
inline constexpr std::string_view kUnknownGpuProcesses = "unknown_gpu_processes"; ///< whose they are is unknown
inline constexpr std::string_view kLossNotANumber = "loss_not_a_number";          ///< in so many samples
inline constexpr std::string_view kFewIterations = "few_iterations";              ///< measured
inline constexpr std::string_view kLittleTime = "little_time";                    ///< measured: seconds
inline constexpr std::string_view kPaced = "paced";                               ///< layers were
} // namespace flagcode

struct FlagReason
{
    std::string flag;                 ///< one of `runflag`
    std::string code;                 ///< one of `flagcode`
    std::optional<int> rank = {};     ///< its process, where a process is several
    std::string host = {};            ///< empty: none
    std::optional<bool> after = {};   ///< canaries: after the last iteration, or before the first
    std::optional<double> value = {}; ///< what was found, in the code's unit
    std::optional<double> usual = {}; ///< what it would be otherwise, where that is known
    std::optional<double> limit = {}; ///< beyond which the flag is borne
    int ranksPerProcess = 1;          ///< in `rank`; as the run has it, not stored here
    bool operator==(const FlagReason&) const = default;
};

} // namespace ringside::store
