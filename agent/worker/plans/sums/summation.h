// SPDX-License-Identifier: MIT
// The collectives by which numbers are summed over all ranks.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/traffic.h"
#include "core/protocol/aggregationplan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ringside {

/// The size of one exchange, and its ranks.
struct ExchangedNumbers
{
    std::size_t count = 0;
    std::span<const int> ranksOfNodes; ///< those on each node that train
    SumAlgorithms sums;                ///< where a backend sends more than it must

    /// On all nodes.
    std::size_t ranks() const;
};

class Summation
{
public:
    virtual ~Summation() = default;
    /// In place, on all ranks; in a GPU's memory enqueued. Returns the bytes that this rank handed to the communicator.
    virtual Result<std::uint64_t> sum(Numbers numbers) = 0;
};

/// The data that ranks pass to the communicator for a sum: each rank's numbers; those, and once more the part that a
/// rank sums for all; or as the nodes require.
enum class HandedOver
{
    numbers,
    numbersAndPart,
    byNodes
};

/// A collective as this engine carries it out: a file of its own.
struct SummationKind
{
    Collective collective;
    Result<std::unique_ptr<Summation>> (*make)(Communicator& communicator);
    /// Bytes that all ranks together send while numbers of so many bytes each are summed.
    std::uint64_t (*wireBytes)(const ExchangedNumbers& numbers, std::size_t bytesOfNumber);
    HandedOver handedOver = HandedOver::numbers;
};

/// Bytes that all ranks together send for a buffer, whether it goes round a ring or whole to every rank.
std::uint64_t allReduceBytes(std::uint64_t bytes, std::size_t ranks, const SumAlgorithms& sums);

/// Null: it is no sum, or the engine does not know it.
const SummationKind* findSummation(Collective collective);

/// Collective, since nodes get communicators of their own. Stores the reference.
Result<std::unique_ptr<Summation>> makeSummation(Collective collective, Communicator& communicator);

} // namespace ringside
