// SPDX-License-Identifier: MIT
// The messages that a transport sends, and its algorithms, for comparing the two.
#pragma once

#include "agent/worker/collectives/communicator.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside {

/// Messages to other ranks and the bytes in them. A transport's headers are not counted: over TCP 16 bytes each, and
/// TCP's own.
struct Traffic
{
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
};

/// Traffic that this rank has sent since the ranks met, also through parts of this communicator. nullopt where the
/// backend does not count: only TCP does. Call it on the communicating thread, or while none communicates.
std::optional<Traffic> sentBy(const Communicator& communicator);

/// Cases in which a backend's sums send more than they must, for fewer steps. The defaults: none.
struct SumAlgorithms
{
    /// Bytes: a smaller buffer goes whole to every rank, which adds up by itself; others go round a ring.
    std::size_t wholeBelow = 0;
    /// A sum on one rank is made part by part, each on the rank whose part it is, and gathered there. Else each rank
    /// sends the whole.
    bool reducesByParts = false;
};

/// Small ones in half the steps; and no rank adds up alone.
inline constexpr SumAlgorithms kTcpSums{16u << 10, true};

} // namespace ringside
