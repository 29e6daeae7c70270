// SPDX-License-Identifier: GPL-3.0-or-later
// A calibration in words: what was measured with, and the rates in rows.
#pragma once

#include "core/store/canaries.h"

#include <QString>
#include <vector>

namespace ringside {

struct CalibrationFact
{
    QString label, text;
    QString more; ///< for a tooltip; may be empty
};

/// "2 ranks on 1 node, 1 core each", and what is not usual: "…, a GPU each, NCCL".
QString shapeText(const Calibration& calibration);
/// To choose it by: its shape, and whether it was disturbed, or imported from which program.
QString nameOf(const store::SiteCalibration& known);
/// Returns when and with what it was measured, and how its ranks communicated.
QString measuredText(const store::SiteCalibration& known);
/// Rates, then latency and bandwidth of each level; what was not measured has no row.
std::vector<CalibrationFact> calibrationFacts(const store::SiteCalibration& known);

} // namespace ringside
