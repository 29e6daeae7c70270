// SPDX-License-Identifier: MIT
// What this machine is and can: read from /proc and the file system, and asked of the programs that a campaign needs.
#pragma once

#include "agent/relay/relay.h"

#include <map>
#include <string>

namespace ringside::relay {

/// Blocking; each program that is asked has 30 s. What cannot be found out is left out, or has a reason under
/// "…_error".
std::map<std::string, std::string> probe(const RelayOptions& options);

} // namespace ringside::relay
