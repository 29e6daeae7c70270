// SPDX-License-Identifier: MIT
// A probe's processes report to their test what they have sent: over TCP as the transport counts it, and over MPI as
// Open MPI reports each message to its monitoring component, those of collectives among them. sent.h reads it.
#pragma once

#include "agent/worker/collectives/communicator.h"

#include <cstdint>
#include <fstream>
#include <vector>

namespace ringside::test {

/// Names a folder, in which each process writes a file, named by its rank: a line at first and one for each trial, of
/// bytes, messages and the bytes to other nodes among them, as counted until then, and behind them the bytes that the
/// process handed over, each time.
inline constexpr const char* kSentVariable = "RINGSIDE_TEST_SENT";

/// Writes nothing where no folder is named.
class SentLog
{
public:
    /// `communicator` is that of the whole world, which pretends to be on so many nodes, and outlives this.
    explicit SentLog(const Communicator& communicator, int nodes = 1);
    /// By the thread that communicates, or while none does.
    void endTrial(const std::vector<std::uint64_t>& handedOver = {});

private:
    const Communicator& m_communicator;
    const int m_nodes;
    std::ofstream m_file;
};

} // namespace ringside::test
