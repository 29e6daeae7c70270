// SPDX-License-Identifier: MIT
// The starting point of a run for another program that is to be compared with this engine (tests/bench).
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/models/model.h"
#include "agent/worker/train/trainsettings.h"

namespace ringside {

/// If RINGSIDE_EXPORT_START names a folder: writes weights.f32 (rank 0: all parameters in their order, each in the
/// order of its dimensions), images-R.f32 (n × 3 × size × size) or tokens-R.i64 (n × length), and labels-R.i64 (n, or
/// n × length) of this rank's first batch. Consumes that batch, which changes nothing for `synthetic`.
Result<void> exportStart(const TrainSettings& settings, const Model& model, BatchSource& data);

} // namespace ringside
