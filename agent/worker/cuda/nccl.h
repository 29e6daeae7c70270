// SPDX-License-Identifier: MIT
// NCCL as a backend of the collectives.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/levels.h"

namespace ringside {

/// Makes it one of the same ranks with this backend. Collective; one rank by itself needs none. Fails as the maker
/// below does, and then the communicator stays as it was.
Result<void> useBackend(Backend backend, std::unique_ptr<Communicator>& communicator);

/// Sums, gathers and broadcasts by NCCL on a GPU of each rank; `host`, by which the ranks know each other, does the
/// rest and is moved from on success. Collective: fails on all ranks, with usage, if one has no GPU or no CUDA plug-in.
/// A call that a lost rank blocks fails within RINGSIDE_NCCL_LIMIT_S seconds (300 if that is not set).
Result<std::unique_ptr<Communicator>> makeNcclCommunicator(std::unique_ptr<Communicator>& host);

} // namespace ringside
