// SPDX-License-Identifier: MIT
// The programs that the relay has asked and whose answers it has not got yet. Nothing here waits.
#pragma once

#include "agent/runner/errand.h"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace ringside::relay {

class Errands
{
public:
    /// The program's standard output, or why there is none.
    using Done = std::function<void(Result<std::string>)>;

    /// `done` is called once, from a later `turn`.
    void start(std::vector<std::string> command, const runner::ErrandOptions& options, Done done);

    /// Hands out the answers that have come, and gives up on those that are overdue.
    void turn(std::int64_t nowNs);
    void addTo(std::vector<pollfd>& set) const;
    /// When the next one is overdue; INT64_MAX if none is under way.
    std::int64_t dueNs() const;

private:
    struct Pending
    {
        std::vector<std::string> command;
        Result<runner::Errand> errand;
        Done done;
    };
    std::list<Pending> m_pending;
    std::list<runner::Errand> m_late; ///< that outlive their limits
};

} // namespace ringside::relay
