// SPDX-License-Identifier: MIT
// Starts the processes of an attempt that has several. Each launcher is one dialect of words and names; the table
// of all is in core/jobs/launchers. Pure: values in, words out; the runner starts them.
#pragma once

#include "core/jobs/processes.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside::jobs {

/// The exit code of ssh for a failure of its own. Launchers that reach hosts by ssh end with it where one is not
/// reached.
inline constexpr int kSshFailed = 255;

/// The variables by which a process learns which one it is; "" where the launcher sets none.
struct RankVariables
{
    const char* rank;
    const char* localRank; ///< among those of its node
};

class Launcher
{
public:
    virtual ~Launcher() = default;

    /// In plans and in the files of sites.
    virtual std::string_view name() const = 0;
    /// For people; marked for translation.
    virtual std::string_view title() const = 0;
    /// Returns the program that it must find in PATH for these processes; empty: none.
    virtual std::string program(const Processes& processes) const = 0;
    /// Returns what to do where that is not there.
    virtual std::string advice() const = 0;
    virtual RankVariables variables() const = 0;
    /// Starts all of them. Guards end the ranks: the launcher itself neither binds nor kills them.
    virtual AttemptCommand command(const Processes& processes) const = 0;

    /// Returns whether the answer of “mpirun --version” is its own.
    virtual bool isOf(std::string_view version) const;
    /// The kind of PMI by which its library finds the other ranks where a scheduler's own launcher starts them: "pmix",
    /// "pmi2" or "cray_shasta".
    virtual std::string_view pmi() const;
    /// The variable by which its library learns where to put memory that ranks share; empty: it has none.
    virtual std::string_view sharedMemoryVariable() const { return {}; }
    /// False: it can only fill nodes with ranks.
    virtual bool placesOtherRoles() const { return true; }
    /// It starts processes in a job of its scheduler alone.
    virtual bool needsJob() const { return false; }
    /// The exit code that says that it did not reach a host.
    virtual std::optional<int> codeOfUnreachedHosts() const { return std::nullopt; }
    /// It ends what it could start where it cannot start another process.
    virtual bool endsIncompleteStarts() const { return false; }
};

} // namespace ringside::jobs
