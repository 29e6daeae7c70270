// SPDX-License-Identifier: MIT
// The program of an attempt's processes. The setting `engine` names it; the table of all is in core/jobs/programs.
// Pure: values in, words out.
#pragma once

#include "core/base/words.h"
#include "core/jobs/processes.h"
#include "core/protocol/role.h"
#include "core/protocol/states.h"

#include <string_view>
#include <vector>

namespace ringside::jobs {

/// Meaning of a process's exit code.
struct ExitMeaning
{
    Cause cause = Cause::crashed;
    /// The outcome, marked for translation: "refused its settings"; empty: there is no word for the code.
    std::string_view sentence = {};
    /// Follows where its log does not end in a line that says why; marked for translation.
    std::string_view ifSilent = Words::noop("its log may say why");
    bool followsAnother = false; ///< the end of another process is why
};

class Program
{
public:
    virtual ~Program() = default;

    /// The level of the setting `engine`.
    virtual std::string_view name() const = 0;
    /// False: it measures its site. Its runs have neither a plan nor a throughput that could be compared.
    virtual bool trains() const = 0;
    /// Returns the processes that run beside the ranks, behind them in the order of the processes.
    virtual std::vector<Role> roles(const AggregationPlan& plan) const = 0;
    /// The way in which its processes find each other: by the launcher's MPI, by variables that their guards set, or as
    /// the launcher can.
    enum class Meeting
    {
        any,
        mpi,
        variables
    };
    virtual Meeting meeting() const { return Meeting::any; }
    /// Returns what a guard starts, whatever the process's role: "--" and a command, or the run of a plan that says it.
    virtual Command words(const Processes& processes) const = 0;
    /// For a process that ended by itself with this code, other than 0.
    virtual ExitMeaning meaningOf(int code) const = 0;
};

} // namespace ringside::jobs
