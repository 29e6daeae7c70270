// SPDX-License-Identifier: MIT
// A communicator whose calls are watched, so that the heartbeat can show which rank waits for which.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/sample.h"

#include <atomic>
#include <memory>

namespace ringside {

/// Any thread.
class CommunicationWatch
{
public:
    Communication now() const { return {m_entered.load(), m_waiting.load() > 0}; }
    void enter() { ++m_entered; }
    void beginToWait() { ++m_waiting; }
    void endToWait() { --m_waiting; }

private:
    std::atomic<std::uint64_t> m_entered = 0;
    std::atomic<int> m_waiting = 0; ///< calls that have not returned, and what is asked for
};

/// Does what `communicator` does, and reports it to the watch, which outlives it. The calls that ranks have entered are
/// compared, so only those that all ranks make count: no blocking messages, by which one rank serves the others in
/// turn, and none of groups that it is split into.
std::unique_ptr<Communicator> watched(std::unique_ptr<Communicator> communicator, CommunicationWatch& watch);

} // namespace ringside
