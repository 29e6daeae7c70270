// SPDX-License-Identifier: MIT
// Reasons and refusals of Slurm as sentences that say what it means and what to do.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace ringside::slurm {

/// Why a job waits, in the user's language: "Waits for free nodes." for "Resources". A word that is not known is
/// quoted.
std::string pendingSentence(std::string_view word);

/// What sbatch wrote to standard error when it refused a job, as an error: unavailable if trying again may help, else
/// usage.
Error refusal(std::string_view sbatchErrors);

} // namespace ringside::slurm
