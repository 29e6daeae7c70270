// SPDX-License-Identifier: MIT
// Reasons and refusals of Slurm as sentences that say what it means and what to do.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace ringside::slurm {

/// Says why a job waits, by the word of squeue, in the user's language; a word that is not known is quoted.
std::string waitSentence(std::string_view word);

/// The errors of an sbatch that refused a job: unavailable if trying again may help, else usage.
Error errorOfRefusal(std::string_view sbatchErrors);

} // namespace ringside::slurm
