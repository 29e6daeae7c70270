// SPDX-License-Identifier: MIT
// The makers that makeCommunicator chooses from.
#pragma once

#include "agent/worker/collectives/communicator.h"

namespace ringside {

std::unique_ptr<Communicator> makeSingleCommunicator();

/// Connects ranks that found each other by rankvariables.h. Fails with timeout if not all come.
Result<std::unique_ptr<Communicator>> makeTcpCommunicator();
/// Connects the ranks of `known`, which is moved from on success and lives as long as the result. Collective: fails on
/// all ranks, within a minute or so, if one cannot reach another.
Result<std::unique_ptr<Communicator>> makeTcpCommunicator(std::unique_ptr<Communicator>& known);

#ifdef RINGSIDE_WITH_MPI
/// Initialises MPI; its destruction finalises MPI. At most one in a process.
Result<std::unique_ptr<Communicator>> makeMpiCommunicator();
#endif

} // namespace ringside
