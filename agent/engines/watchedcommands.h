// SPDX-License-Identifier: MIT
// The commands of an installation: pip, compilers, the system itself. Each command is watched: an order to end, or too
// long a silence, ends it, and its output and downloads are reported as progress, also to other processes that wait for
// the folder.
#pragma once

#include "agent/builder/process.h"
#include "agent/builder/report.h"
#include "agent/runner/folderclaim.h"
#include "core/base/files.h"
#include "core/protocol/installation.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::engines {

/// So long pip may print nothing and fetch nothing: a large package that is compiled does.
inline constexpr std::chrono::minutes kSilenceLimit{30};
/// The period of looks at the folder for downloads, compiled files, and an order to end.
inline constexpr std::chrono::seconds kLookPeriod{1};
/// From this percentage on, what grows below the folder's tmp/ was fetched.
inline constexpr int kFirstPackage = 5;

Error cancelledError(const std::string& name);

/// For one thread, which waits for each command. Arguments outlive it. Commands run in the folder, which is an absolute
/// path: Python puts the current one before its own, and a module that lies there would pass for the system's.
class WatchedCommands
{
public:
    /// Without a claim the folder is only read.
    WatchedCommands(const fs::path& folder, const std::string& name, const Installation& installation,
                    const builder::Deadline& deadline, const builder::Report& report, const runner::FolderClaim* claim);

    /// Fails with busy where another process took the folder, since this one was suspended, say.
    Result<void> mustHoldFolder() const;

    /// Fails with the reason, as far as it can be found, where the command fails.
    Result<void> mustRun(const std::vector<std::string>& words, const std::string& what, int percent);
    /// Without `what` it is not reported.
    Result<builder::Answer> run(const std::vector<std::string>& words, const std::string& what = {}, int percent = 0);
    void report(int percent, const std::string& text) const;
    /// From now on what grows is the compiler's.
    void beginCompiling() { m_isCompiling = true; }

private:
    Result<void> look(const std::string& what, int percent);

    const fs::path& m_folder;
    const std::string& m_name;
    const Installation& m_installation;
    const builder::Deadline& m_deadline;
    const builder::Report& m_report;
    const runner::FolderClaim* m_claim;
    std::int64_t m_signNs = 0, m_lookedNs = 0;
    std::uint64_t m_fetched = 0;
    bool m_isCompiling = false;
};

} // namespace ringside::engines
