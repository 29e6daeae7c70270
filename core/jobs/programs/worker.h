// SPDX-License-Identifier: MIT
// Ringside's worker: it trains, or measures its site.
#pragma once

#include "core/jobs/program.h"

namespace ringside::jobs {

const Program& training();
const Program& calibration();

} // namespace ringside::jobs
