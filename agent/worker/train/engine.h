// SPDX-License-Identifier: MIT
// libtorch as this process uses it: threads, memory, weights, and its exceptions as failures.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/models/model.h"
#include "agent/worker/train/failure.h"
#include "agent/worker/train/trainsettings.h"

#include <exception>

namespace ringside {

/// Once, after the process was bound to its cores and before libtorch starts threads.
void startEngine(const TrainSettings& settings, const std::vector<int>& cores);

/// From here on each rank draws numbers of its own, the same for the same seed; the first one goes on in its stream.
/// Ranks that dropped the same outputs of their layers would not average that noise away, as one big batch does.
void separateRandomNumbers(std::uint64_t seed, int rank);

/// Refuses what by core/protocol/memoryneed.h does not fit into this host, or into the memory group that its processes
/// are in, before it begins to swap or kill. On all of them before one makes its model.
Result<void> checkMemory(const TrainSettings& settings, int ranksOnHost, int serversOnHost);

/// The weights of rank 0 on all ranks.
Result<void> shareWeights(Model& model, Communicator& communicator);

/// An exception of libtorch or of the standard library as the failure of the rank.
Failure failureOf(const std::exception& error);
/// The same while this run trained: what ran out of memory names the batch, and the largest that fits by an estimate.
Failure failureOf(const std::exception& error, const TrainSettings& settings);
/// Rewords an error of the engine from a communication thread (plans/caught.h) like one of this thread.
Failure named(Failure failure, const TrainSettings& settings);

} // namespace ringside
