// SPDX-License-Identifier: MIT
// Why a run bears a flag, in words of the user's language. Pure; any thread.
#pragma once

#include "core/store/flagreason.h"

#include <string>

namespace ringside::report {

/// A sentence: "Rank 3 of n7: other programs took 40 % of its cores for a while." A code of a later version is shown as
/// it is.
std::string sentenceOf(const store::FlagReason& reason);

} // namespace ringside::report
