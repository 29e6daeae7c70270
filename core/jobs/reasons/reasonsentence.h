// SPDX-License-Identifier: MIT
// Reasons in words of the user's language (core/base/words.h). Any thread; looks at the clock for the guessed start of
// a job.
#pragma once

#include "core/protocol/reason.h"

#include <cstdint>
#include <string>

namespace ringside::jobs {

/// One or two sentences that say what happened and, where that helps, what to do: "Rank 3 on n7 was ended by signal 9
/// (Killed) from an unknown source." Empty for an empty reason. Hosts, last lines and words of schedulers are in it
/// as plain text. A code of a later version, and one that lacks what it is about, is shown as it is.
std::string sentenceOf(const Reason& reason);

/// "Rank 3"; "Process 1 (ranks 4–7)" of a process that is several ranks.
std::string rankName(std::int64_t process, std::int64_t ranksPerProcess);

} // namespace ringside::jobs
