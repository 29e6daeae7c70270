// SPDX-License-Identifier: MIT
// Processes that install into one folder do so one after the other. A file in it is the order to end.
#pragma once

#include "agent/builder/process.h"
#include "agent/builder/report.h"
#include "agent/runner/folderclaim.h"
#include "core/base/files.h"

#include <string>

namespace ringside::engines {

/// Returns the folder once no other process installs into it; makes it. Fails with cancelled after an order to end,
/// which is one to all that wait, too, though the folder may have become free meanwhile; or where it has gone, since
/// the other process had nothing to leave.
Result<runner::FolderClaim> awaitInstallClaim(const std::string& name, const fs::path& folder,
                                              const builder::Deadline& deadline, const builder::Report& report);

/// Drops an order to end where no installation is under way.
void dropOldOrder(const fs::path& folder);

} // namespace ringside::engines
