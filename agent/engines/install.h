// SPDX-License-Identifier: MIT
// Private environments of systems below <root>/engines/: made, and removed. Nothing outside the root is written.
#pragma once

#include "agent/builder/report.h"
#include "agent/engines/interpreter.h"
#include "core/protocol/installation.h"
#include "core/protocol/installedengine.h"

namespace ringside::engines {

struct InstallOptions
{
    fs::path root;
    std::string name; ///< of the system
    Installation installation;
    std::string python; ///< an interpreter; empty: looked for
    std::string wheels; ///< a folder of wheels in place of the package index; empty: the index
};

/// Makes it, or finds it whole. What was interrupted goes on: packages that are there are not fetched again. Blocking,
/// minutes; safe to kill at any moment, and to run twice at once (busy).
Result<InstalledEngine> install(const InstallOptions& options, const builder::Deadline& deadline,
                                const builder::Report& report);
/// The bytes that it freed. Fails with notFound, or with busy while it is being installed.
Result<std::uint64_t> remove(const fs::path& root, const std::string& name);

} // namespace ringside::engines
