// SPDX-License-Identifier: MIT
// The variables that a scheduler sets in a job belong to what an attempt ran on. The guard of a rank knows the
// scheduler, and names them to the rank, which does not.
#pragma once

namespace ringside {

/// The environment variable of a rank that holds what the names of those begin with. Unset outside of a job.
inline constexpr const char* kJobVariablesVariable = "RINGSIDE_JOB_VARIABLES";

} // namespace ringside
