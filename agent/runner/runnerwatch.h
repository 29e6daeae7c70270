// SPDX-License-Identifier: MIT
// The order to end that a runner gives to guards on other hosts, and the ranks of the node that it is about. Blocking,
// as reading a small file is.
#pragma once

#include "agent/runner/runnerheartbeat.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace ringside::runner {

/// The period of a guard's looks at its runner: a pipe opened after the death of that reports no hang-up to poll for.
inline constexpr std::chrono::milliseconds kLook{1'000};

/// The first guard of a node acts for the others.
bool isFirstOfNode();

/// The file by which a guard on another host than its runner's is ordered to end its rank.
class RunnerWatch
{
public:
    RunnerWatch(const fs::path& attempt, const fs::path& heartbeat);

    /// The rank's time to end, once it must. Looks when the next look is due.
    std::optional<std::chrono::milliseconds> look(std::int64_t nowNs);

    /// Asks the other guards of the node to end.
    void endOthers() const;

    /// False if there are no ranks any more. Their guards are left to record how they ended.
    bool signalRanks(int signal) const;

private:
    /// Nothing unless this guard acts for the node.
    std::vector<pid_t> onNode(const char* variable) const;

    fs::path m_attempt;
    bool m_isFirst;
    RunnerHeartbeatReader m_watch;
    std::int64_t m_dueNs = 0;
};

} // namespace ringside::runner
