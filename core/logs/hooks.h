// SPDX-License-Identifier: MIT
// Separates the intervals of two hooks of one process, which print at different iterations, as those of TensorFlow's
// estimators do: lines with a rate of items are its records, and the others only add their loss. Pure. Internal to
// core/logs.
#pragma once

#include "core/logs/knownline.h"
#include "core/logs/sources.h"

namespace ringside::logs {

/// An interval with a rate of items.
bool ratesItems(const LineForm& form);
/// An interval without one.
bool isPlainInterval(const LineForm& form);

/// Returns whether a plain interval that ends at `place` only adds its loss to the records of the source. One that ends
/// where its last record ends, and began where that began, is more of the same. One that goes back is of another run.
bool isBesideRecords(const KnownLine& line, const std::optional<Place>& place, const Source& source);

/// Returns whether the records of the source so far are plain intervals beside those that begin with this line, which
/// ends at `place`.
bool endsPlainRecords(const KnownLine& line, const std::optional<Place>& place, const Source& source);
/// They are their losses alone from here on.
void endPlainRecords(Source& source, LogLane& lane);

} // namespace ringside::logs
