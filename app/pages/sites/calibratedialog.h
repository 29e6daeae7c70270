// SPDX-License-Identifier: GPL-3.0-or-later
// Asks by how many ranks a site shall be calibrated, and says what that costs before anything begins.
#pragma once

#include "core/spec/calibration.h"

#include <QString>
#include <functional>

class QWidget;

namespace ringside {

class ThemeController;

struct CalibrateQuestion
{
    QString site;                 ///< as people call it
    spec::CalibrationShape shape; ///< to begin with
    bool oneNode = false;         ///< it has no more
};

/// Opens a dialog that deletes itself; `measure` is called once, or never.
void askCalibration(QWidget* parent, const ThemeController& theme, const CalibrateQuestion& question,
                    std::function<void(const spec::CalibrationShape&)> measure);

} // namespace ringside
