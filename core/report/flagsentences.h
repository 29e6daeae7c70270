// SPDX-License-Identifier: MIT
// Sentences about why a run bears a flag, in the user's language. Pure; any thread.
#pragma once

#include "core/store/flagreason.h"

#include <string>

namespace ringside::report {

/// A sentence: "Rank 3 of n7: other programs took 40 % of its cores for a while." A code of a later version is shown as
/// it is.
std::string sentenceOf(const store::FlagReason& reason);

} // namespace ringside::report
