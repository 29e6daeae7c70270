// SPDX-License-Identifier: MIT
// The agents that this Ringside can bring to a site: one file per architecture.
#pragma once

#include "core/base/files.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::deployment {

struct AgentFile
{
    fs::path path;
    std::string system; ///< "linux-x86_64": what the file runs on, read from the file itself
};

/// "linux-x86_64" of an ELF program for Linux; empty for anything else, and for machines without a name here.
std::string systemOf(std::string_view elfHeader);

/// `ringside-agent` and `ringside-agent-<anything>` in `folder` that are programs for Linux; the first of the list is
/// the one without an addition, if it is there.
std::vector<AgentFile> agentsIn(const fs::path& folder);

} // namespace ringside::deployment
