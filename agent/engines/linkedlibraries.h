// SPDX-License-Identifier: MIT
// Libraries of the site under the names that a system's packages ask for: CNTK was built against an Open MPI whose
// libraries had other numbers.
#pragma once

#include "agent/builder/process.h"

#include <map>
#include <string>

namespace ringside::engines {

/// Makes a link in `folder` for each library that is there, name to library, and removes older ones. Returns the text
/// to put before LD_LIBRARY_PATH: a program that needs a missing one says so itself. Fails where a link cannot be made.
Result<std::string> linkLibraries(const fs::path& folder, const std::map<std::string, std::string>& libraries,
                                  const builder::Deadline& deadline);

} // namespace ringside::engines
