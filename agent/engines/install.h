// SPDX-License-Identifier: MIT
// Private environments of systems below <root>/engines/. Nothing outside the root is written. An environment's removal
// is that of an item (agent/cleaner).
#pragma once

#include "agent/builder/report.h"
#include "agent/engines/interpreter.h"
#include "core/protocol/installation.h"
#include "core/protocol/installedengine.h"
#include "core/protocol/reason.h"

namespace ringside::engines {

struct InstallOptions
{
    fs::path root;
    std::string name; ///< of the system
    Installation installation;
    /// An interpreter that has the system, or that makes its environment: an absolute path, or a name in PATH; empty:
    /// looked for.
    std::string python = {};
    std::string wheels = {};               ///< a folder of wheels in place of the package index; empty: the index
    std::vector<std::string> modules = {}; ///< loaded first; their python3 is used
    Reason whyKept = {}; ///< for which one that works must not be changed, unknown to the root; empty: it may be
};

/// Makes it, or finds it complete; a named interpreter that has the system, or whose system is made of no packages, is
/// used as it is. An interrupted
/// installation continues: complete downloads are not fetched again. Blocking, minutes; safe to kill at any moment.
/// Waits for an installation of the same engine that is under way.
Result<InstalledEngine> install(const InstallOptions& options, const builder::Deadline& deadline,
                                const builder::Report& report);
/// Runs what is installed: its version now. Blocking, seconds.
Result<InstalledEngine> verify(const InstallOptions& options, const builder::Deadline& deadline);
/// Lets an installation end with cancelled, within a second, whichever process carries it out and wherever the root is
/// seen. Fails with notFound where there is none.
Result<void> cancelInstallation(const fs::path& root, const std::string& name);

} // namespace ringside::engines
