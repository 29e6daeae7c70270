// SPDX-License-Identifier: MIT
// Measures a line as a record of the source that printed it. Pure. Internal to core/logs.
#pragma once

#include "core/logs/knownline.h"
#include "core/logs/measure.h"
#include "core/logs/sources.h"

#include <optional>

namespace ringside::logs {

/// A bar's state before its end.
bool isUnfinished(const KnownLine& line);

/// Returns whether an epoch's bar was drawn again at its end, as behind a validation: its time holds that, too.
bool isDrawnAgain(const KnownLine& line, const Source& source);

/// Returns the items of an iteration where the line states them, which may change from line to line.
std::optional<double> batchIn(const KnownLine& line);

/// A record, and what speaks against it.
struct MeasuredLine
{
    Measured measured;
    std::optional<Finding> gap; ///< iterations that no line before it reported
};
/// Measures the next record of the source. `batch` is batchIn() of the line as it was printed.
MeasuredLine measureNext(const KnownLine& line, const Source& source, const std::optional<double>& batch);

/// Returns whether the line counts its iterations from 0: the running mean that it has is that of one.
bool countsFromZero(const KnownLine& line);

/// A record of what lies between two lines of a running mean.
struct NextMean
{
    MeasuredMean measured;
    MeanSoFar soFar = {};   ///< of the source, where there is a record
    LineValues phases = {}; ///< the record's, s an iteration
};
/// The same of a line of Meaning::mean.
NextMean measureNextMean(const KnownLine& line, const Source& source);

/// Measures the source's last record again, with all values that the source has of it. Its phases stay.
Measured measureAgain(const LogRecord& last, const Source& source, const std::optional<double>& batch);

} // namespace ringside::logs
