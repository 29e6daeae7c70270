// SPDX-License-Identifier: MIT
// The makers that makeCommunicator chooses from.
#pragma once

#include "agent/worker/collectives/communicator.h"

namespace ringside {

std::unique_ptr<Communicator> makeSingleCommunicator();

/// Of ranks that were told by rendezvous.h how to find each other. Fails with timeout if not all come.
Result<std::unique_ptr<Communicator>> makeTcpCommunicator();

#ifdef RINGSIDE_WITH_MPI
/// Initialises MPI; its destruction finalises MPI. At most one in a process.
Result<std::unique_ptr<Communicator>> makeMpiCommunicator();
#endif

} // namespace ringside
