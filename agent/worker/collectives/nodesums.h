// SPDX-License-Identifier: MIT
// Sums of large buffers among ranks of one node, in memory that they share: each rank lays a piece of its numbers
// there, sums up its part of the piece, and takes the sums. MPIs hand such buffers over in messages, which costs the
// cores that train several times as much (tests/bench/README.md).
#pragma once

#include "agent/worker/collectives/numbers.h"
#include "core/base/error.h"

#include <cstdint>
#include <memory>

namespace ringside {

class Communicator;

/// One thread at a time. All calls are of all ranks at once.
class NodeSums
{
public:
    /// Fewer bytes are summed as quickly by messages.
    static constexpr std::size_t kLeastBytes = 256u << 10;

    /// `ranks`, all on this node, are asked to agree, by calls that sum no numbers. nullptr on all of them where they
    /// have no memory in common, or not enough.
    static Result<std::unique_ptr<NodeSums>> make(Communicator& ranks);
    ~NodeSums();
    NodeSums(const NodeSums&) = delete;
    NodeSums& operator=(const NodeSums&) = delete;

    /// Each element becomes its sum over all ranks, the same bits on each. Blocking: who waits sleeps, for its core may
    /// be another rank's. Fails with unavailable if a rank has ended.
    Result<void> sum(Numbers buffer);

private:
    struct Progress;
    class Memory;

    NodeSums(std::unique_ptr<Memory> memory, int rank, int ranks);
    struct Piece;
    Piece pieceOf(Numbers buffer, std::size_t number) const;
    std::byte* slot(int rank, std::uint64_t piece) const;
    Result<void> layDown(const Piece& piece);
    Result<void> sumPart(const Piece& piece);
    Result<void> takeSums(const Piece& piece);
    Result<void> await(int rank, std::uint64_t (*of)(const Progress&), std::uint64_t pieces) const;
    Result<void> awaitAll(std::uint64_t (*of)(const Progress&), std::uint64_t pieces) const;

    std::unique_ptr<Memory> m_memory;
    int m_rank, m_ranks;
    std::uint64_t m_pieces = 0; ///< summed by earlier calls
};

} // namespace ringside
