// SPDX-License-Identifier: MIT
// Sums of large buffers among ranks of one node, in memory that they share: each rank copies a piece of its numbers
// there, sums up its part of the piece, and copies the sums back. MPI libraries pass such buffers in messages, which
// costs the training cores several times as much (tests/bench/README.md).
#pragma once

#include "agent/worker/collectives/numbers.h"
#include "core/base/error.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ringside {

class Communicator;

/// One thread at a time. All calls are of all ranks at once.
class NodeSums
{
public:
    /// Fewer bytes go by messages.
    static constexpr std::size_t kLeastBytes = 256u << 10;
    /// More was not measured, and their parts of a piece would be small.
    static constexpr int kMostRanks = 16;

    /// Makes `ranks`, all on this node, agree, by calls that sum no numbers. nullptr on all of them where they have no
    /// memory in common, or not enough. A waiting rank calls `progress` now and then, on its own thread.
    static Result<std::unique_ptr<NodeSums>> make(Communicator& ranks, std::function<void()> progress);
    ~NodeSums();
    NodeSums(const NodeSums&) = delete;
    NodeSums& operator=(const NodeSums&) = delete;

    /// Each element becomes its sum over all ranks, the same bits on each. Blocking, as the two halves of it below: who
    /// waits sleeps, for its core may be another rank's. They fail with unavailable if a rank has ended.
    Result<void> sum(Numbers buffer);
    /// The same in this rank's part (numbers.h); the others stay as they were.
    Result<void> sumParts(Numbers buffer);
    /// Every part becomes what the rank holds whose part it is.
    Result<void> gatherParts(Numbers buffer);

private:
    struct Progress;
    class Memory;

    NodeSums(std::unique_ptr<Memory> memory, int rank, int ranks, std::function<void()> progress);
    class Pieces;
    using Stage = std::function<Result<void>(std::size_t piece)>;
    Result<void> inStages(const Pieces& pieces, const std::vector<Stage>& stages);
    Result<void> layDownAll(const Pieces& pieces, std::size_t number) const;
    void layDown(const Pieces& pieces, std::size_t number, int part) const;
    Result<void> sumPart(const Pieces& pieces, std::size_t number) const;
    void take(const Pieces& pieces, std::size_t number, int part) const;
    Result<void> takeAll(const Pieces& pieces, std::size_t number) const;
    Result<void> awaitSlot(std::uint64_t piece) const;
    Result<void> await(int rank, std::atomic<std::uint64_t> Progress::*count, std::uint64_t pieces) const;
    void count(std::atomic<std::uint64_t> Progress::*count, std::uint64_t pieces) const;

    std::unique_ptr<Memory> m_memory;
    int m_rank, m_ranks;
    std::function<void()> m_progress;
    bool m_seesProcesses;       ///< of all ranks
    std::uint64_t m_pieces = 0; ///< of earlier calls
};

} // namespace ringside
