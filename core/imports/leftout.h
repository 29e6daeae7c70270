// SPDX-License-Identifier: MIT
// Says which logs and runs are not stored, whatever a user answers, since no rate of theirs can be used. Pure.
#pragma once

#include "core/imports/preview.h"

#include <string>
#include <vector>

namespace ringside::imports {

/// Returns whether lines of the log were read, and none gives a rate or a table that can be used. It is left out, and
/// is no obstacle to the others.
bool isWithoutRate(const LogPreview& log);

/// Names what of the log is left out, and why: one text for all of it, or for each of its runs; in the user's language.
std::vector<std::string> leftOutOf(const LogPreview& log);
/// The same of all that the user does not leave out.
std::vector<std::string> leftOutOf(const std::vector<LogPreview>& logs);

} // namespace ringside::imports
