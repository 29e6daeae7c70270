// SPDX-License-Identifier: MIT
// Computes what the numbers of one line say together: a rate is always reckoned from work and time, and numbers
// that contradict each other are found. Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"
#include "core/logs/stamp.h"

#include <optional>

namespace ringside::logs {

/// Two numbers for the same thing contradict each other where they differ by more, beyond what printing rounded away.
inline constexpr double kMostDifference = 0.02;

/// No machine makes more iterations or items in a second, and none needs so many seconds for one.
inline constexpr double kMostRate = 1e12;

/// A time, or a rate, that can be; 0 may be rounded.
bool isPlausible(const Printed& number);

/// Values from earlier lines that the line's numbers are reckoned with.
struct Before
{
    std::optional<std::int64_t> iteration = {}; ///< of the record before, of the same epoch
    std::optional<double> secondsSince = {};    ///< the record before, by stamps
    double stampHalfStep = 0;                   ///< s
    std::optional<double> batch = {};           ///< items of an iteration, where the line itself states them
};

struct Measured
{
    LogRecord record;
    std::optional<Finding> finding;
};

/// A line of meaning interval, iteration or epoch. Its line and its phases are the caller's.
Measured measure(const LineValues& values, Meaning meaning, const Before& before);

/// The work between two lines of a mean over all iterations: nothing until that is known well enough.
struct MeasuredMean
{
    std::optional<LogRecord> record = {};
    std::optional<Finding> finding = {};
    Printed total = {0, 0}; ///< of all iterations, s or over items per second
};
/// The iterations before the line that its mean leaves out, and what those that it counts had taken at the record
/// before.
struct MeanBefore
{
    std::int64_t ofEarlierRun = 0;
    Printed total = {0, 0}; ///< as of MeasuredMean
};
/// A mean m after k iterations says that they took k/m, or k·m. A time that is longer than what passed since the record
/// before refuses the record.
MeasuredMean measureMean(const LineValues& values, const Before& before, const MeanBefore& mean);

/// Adds the phases that the record's lines report, where these are more than is known.
void addPhases(LogLane& lane, LogRecord& record, const LineValues& values);

/// Finds iterations that no line reported, by what the line says of its first one.
std::optional<Finding> gapBefore(const LineValues& values, const Before& before);

/// Returns whether both may be the same number.
bool agree(const Printed& one, const Printed& other);

/// One over it.
Printed inverse(const Printed& number);

} // namespace ringside::logs
