// SPDX-License-Identifier: MIT
// Estimates the memory that a rank and a server need, from the settings of its run: the worker refuses by it what
// cannot fit, and the runner says by it what would have, where a rank was killed and can say nothing itself.
#pragma once

#include "core/protocol/plan.h"

#include <cstdint>
#include <optional>

namespace ringside {

/// Right within a factor of 1.5.
struct MemoryNeed
{
    int batch = 1;                 ///< of one rank
    std::uint64_t fixedBytes = 0;  ///< of the host, whatever the batch: the process, weights and what is as large
    double activationsPerItem = 0; ///< bytes, wherever the model is
    double hostPerItem = 0;        ///< bytes of the host, with the copies of the item that wait for their turn
    bool isOnGpu = false;
    std::uint64_t serverBytes = 0; ///< of the host, for each server rank

    std::uint64_t hostBytes() const;
    /// Sums up all processes of the run on one host.
    std::uint64_t hostBytes(int ranks, int servers) const;
    /// The largest batch below its own that so many bytes are enough for, at so many an item; 0: none.
    int largestBatch(std::uint64_t bytes, double perItem) const;
    /// The same where the batch itself has run out of so many bytes. An estimate by which it, or nearly it, should have
    /// fitted was too low: at most four fifths of it.
    int largestBatchAfterFailure(std::uint64_t bytes, double perItem) const;
};

/// Nullopt for a model that this version does not know, and without a batch.
std::optional<MemoryNeed> memoryNeedOf(const RunSpec& run);

} // namespace ringside
