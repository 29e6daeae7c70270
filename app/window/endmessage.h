// SPDX-License-Identifier: GPL-3.0-or-later
// The window's message when the last run of an experiment has ended.
#pragma once

#include "app/widgets/messagebar.h"

#include "core/store/rows.h"

namespace ringside {

/// Done only where every run is: failed and cancelled runs are counted, and no tick is shown. Without a button.
Message endMessage(const store::ExperimentRow& experiment);

} // namespace ringside
