// SPDX-License-Identifier: MIT
// The POSIX shell scripts of a deployment, sent to `sh -s` on standard input. Values come in front as quoted
// assignments; what is printed behind the mark is "name value", one a line.
#pragma once

#include "core/remote/host.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside::deployment {

using Variables = std::vector<std::pair<std::string, std::string>>;
using Lines = std::vector<std::pair<std::string, std::string>>;

/// Runs the script with these variables set (besides `mark`) and returns its lines, as plain text. Fails with
/// unavailable if nothing answers with the mark, and says what was printed instead.
Result<Lines> runMarked(Host& host, const Variables& variables, const char* script);

extern const char* const kSurveyScript; ///< needs folder, program

} // namespace ringside::deployment
