// SPDX-License-Identifier: MIT
// The records of a rank: samples, facts, and a few lines for people.
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/models/model.h"
#include "agent/worker/train/rank.h"
#include "core/protocol/facts.h"
#include "core/protocol/sample.h"

#include <vector>

namespace ringside {

Sample sampleOf(const PhaseClock::Iteration& iteration, const Batch& batch, const std::vector<BucketTiming>& timings,
                float loss);

/// The same timings relative to the iteration's start.
BucketTimings bucketTimingsOf(const PhaseClock::Iteration& iteration, const std::vector<BucketTiming>& timings);

/// Facts of the attempt's environment, without its data and model. Collective, servers among them: rank 0 gathers every
/// process's host and cores. Fails as the connections between them do.
Result<Facts> gatherFacts(Rank& rank, std::uint64_t seed);
/// Writes facts.json into the attempt's folder, once there is room for it.
Result<void> writeFacts(const TrainSettings& settings, const Facts& facts);

/// Rank 0 adds data and model to the facts, counts the model's work, writes facts.json and says what will be trained.
/// `planFacts` are of how the plan was fitted to model and links, if it was.
Result<void> reportStart(const TrainSettings& settings, Model& model, const BatchSource& data, Rank& rank,
                         const std::map<std::string, std::string>& planFacts, Facts facts);

/// A server's part in gathering the facts.
Result<void> reportServer(Rank& rank);

/// Rank 0 says how it went, and the duration of all iterations. `votedAfter` iterations the ranks voted for the last
/// time.
void reportEnd(const TrainSettings& settings, Rank& rank, const Outcome<int>& outcome, std::uint32_t votedAfter,
               std::int64_t elapsedNs);

} // namespace ringside
