// SPDX-License-Identifier: MIT
// The makers that makeCommunicator chooses from.
#pragma once

#include "agent/worker/collectives/communicator.h"

namespace ringside {

std::unique_ptr<Communicator> makeSingleCommunicator();

/// Of ranks that were told by rendezvous.h how to find each other. Fails with timeout if not all come.
Result<std::unique_ptr<Communicator>> makeTcpCommunicator();

/// Sums, gathers and broadcasts by NCCL on a GPU of each rank; `host`, by which the ranks know each other, does the
/// rest and is taken if this succeeds. Collective: fails on all ranks, with usage, if one has no GPU or no CUDA
/// plug-in. A call that a lost rank keeps from its end gives an error within RINGSIDE_NCCL_LIMIT_S seconds (300 if that
/// is not set).
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(std::unique_ptr<Communicator>& host);

#ifdef RINGSIDE_WITH_MPI
/// Initialises MPI; its destruction finalises MPI. At most one in a process.
Result<std::unique_ptr<Communicator>> makeMpiCommunicator();
#endif

} // namespace ringside
