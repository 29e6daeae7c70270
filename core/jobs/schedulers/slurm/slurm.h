// SPDX-License-Identifier: MIT
// Slurm 20.11 and later.
#pragma once

#include "core/jobs/scheduler.h"

namespace ringside::slurm {

const jobs::Scheduler& scheduler();

} // namespace ringside::slurm
