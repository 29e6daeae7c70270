// SPDX-License-Identifier: MIT
// The rates of one lane's records, and what they are reckoned with. Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"

#include <optional>
#include <vector>

namespace ringside::logs {

std::optional<Printed> medianOf(std::vector<Printed> numbers);

/// Items of one iteration, of the work that a line of this scope is about.
std::optional<double> batchOf(const LogSettings& settings, Scope scope);

/// Minibatches where they have a rate, else epochs.
const std::vector<LogRecord>& recordsOf(const LogLane& lane);
/// Behind the first that have a rate.
std::vector<LogRecord>::const_iterator afterWarmup(const std::vector<LogRecord>& records, int warmupRecords);
/// Returns whether all of these that have a rate hold an evaluation, so that none can be left out for it.
bool allHoldTests(const std::vector<LogRecord>& records, int warmupRecords);

/// Values that the rates of a lane are reckoned with.
struct KnownOfLane
{
    std::optional<double> batch;
    std::optional<double> epochItems; ///< of records that are epochs
    std::optional<double> implied;    ///< the batch that its records' own rates agree about
    std::optional<Printed> checked;   ///< `batch`, where these rates have to agree with it
};
KnownOfLane knownOf(const LogLane& lane, const LogSettings& settings);

/// Items per second, as reckoned or printed; it may be no number.
std::optional<double> rateOf(const LogRecord& record, const KnownOfLane& known);
/// The median behind the warm-up, of records that contradict nothing and, where there are some, hold no evaluation.
std::optional<Printed> rateOf(const LogLane& lane, const LogSettings& settings, int warmupRecords);

/// Returns what contradicts what is known, without its line. The last batch of an epoch may be short.
std::optional<Finding> contradiction(const LogRecord& record, const KnownOfLane& known);

} // namespace ringside::logs
