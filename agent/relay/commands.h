// SPDX-License-Identifier: MIT
// The programs that the relay runs for a short answer, and that have not ended yet. Nothing here waits.
#pragma once

#include "agent/runner/command.h"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace ringside::relay {

class Commands
{
public:
    /// The program's standard output, or why there is none.
    using Done = std::function<void(Result<std::string>)>;

    /// `done` is called once, from a later `poll`, with outputOf() of the program.
    void start(std::vector<std::string> arguments, const runner::CommandOptions& options, Done done,
               runner::TextTest tellsOnlyTheCode = {});

    /// Passes on the answers that have come, and gives up on those that are overdue.
    void poll(std::int64_t nowNs);
    void addTo(std::vector<pollfd>& set) const;
    /// Returns when the next one is overdue; INT64_MAX if none is under way.
    std::int64_t dueNs() const;

private:
    struct Pending
    {
        std::vector<std::string> arguments;
        Result<runner::Command> command;
        Done done;
        runner::TextTest tellsOnlyTheCode;
    };
    std::list<Pending> m_pending;
    std::list<runner::Command> m_late; ///< that outlive their limits
};

} // namespace ringside::relay
