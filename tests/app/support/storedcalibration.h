// SPDX-License-Identifier: MIT
// The records of a calibration, put into a database by the same functions as a real one.
#pragma once

#include "core/protocol/calibration.h"
#include "core/store/database.h"

namespace ringside::test {

/// As of two nodes with four ranks each.
Calibration calibrationOfTwoNodes();

/// As of two GPUs of one node, by NCCL.
Calibration calibrationOfGpus();

/// A calibration of the site that has just ended.
Result<void> addCalibration(store::Database& db, const std::string& site, const Calibration& found);

} // namespace ringside::test
