// SPDX-License-Identifier: MIT
// Bytes that ranks and servers send by a plan, as their transport counts them.
#pragma once

#include "agent/worker/collectives/rankgroup.h"
#include "tests/worker/plans/trials.h"

#include <cstdint>
#include <vector>

namespace ringside::test {

struct Sent
{
    std::uint64_t bytes = 0, messages = 0; ///< of all processes together
    std::uint64_t betweenNodes = 0;        ///< bytes, over MPI; the nodes are those of the first trial
    std::vector<std::uint64_t> handedOver; ///< bytes, by rank 0, each time it handed over some
};

/// By trial, what its iterations send by themselves, without what is sent before and behind them, as trials without
/// them send. Servers cannot be asked for no iteration, and by theirs each sends as much as another: they are asked for
/// one more. Ranks may agree once or more in the first.
std::vector<Sent> sentIn(int ranks, const Trials& trials, Meeting meeting = Meeting::mpi);

} // namespace ringside::test
