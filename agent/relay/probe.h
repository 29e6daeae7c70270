// SPDX-License-Identifier: MIT
// Describes this machine: read from /proc and the file system, and asked of the programs that a campaign needs. A
// process of its own (`ringside-agent probe`), so that the relay never waits, and a scheduler can start it on another
// node.
#pragma once

#include "agent/relay/relay.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::relay {

using ProbeValues = std::map<std::string, std::string>;

/// Blocking; each program that is asked has a limit of its own. Unknown values are left out, or have a reason under
/// "…_error". The names: agent/README.md, "Probe".
ProbeValues probe(const RelayOptions& options);

/// `<agent> probe --root <root> [--worker <worker>]`, and what it writes.
std::vector<std::string> probeCommand(const RelayOptions& options);
std::string toJson(const ProbeValues& values);
Result<ProbeValues> probedFromJson(std::string_view text);

} // namespace ringside::relay
