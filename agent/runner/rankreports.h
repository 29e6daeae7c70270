// SPDX-License-Identifier: MIT
// Decides whose iterations a process's are. It reports as a whole, or, as a launcher such as torchrun, starts a process
// for each of its ranks, which report each for itself. The first of these stands for all then, since they make each
// iteration together.
#pragma once

#include "core/protocol/reason.h"
#include "core/protocol/spool.h"

#include <cstdint>
#include <map>
#include <optional>

namespace ringside::runner {

/// Ranks that a process is.
struct OwnRanks
{
    int first = 0;
    std::uint32_t count = 1;
    bool mayBeStarted = false; ///< as processes of their own: it is all ranks of its node
};

class RankReports
{
public:
    explicit RankReports(OwnRanks ranks);

    /// Notes that `rank` begins and reports the iterations of so many ranks. Fails if it is none of the process's
    /// ranks, or reports besides one that did so for the whole process.
    OrReason<void> begin(int rank, std::uint32_t ofRanks);
    /// Returns whether iterations of `rank` are the process's. Lines without a rank are, unless it is one of several
    /// that report each for itself.
    bool areOfProcess(std::optional<int> rank) const;
    /// Notes that `rank` has made so many iterations, by their numbers: a record in the middle that cannot be read is
    /// no end.
    void count(std::optional<int> rank, std::uint64_t iterations);
    /// Fails if not all of the ranks have begun that report each for itself.
    OrReason<void> checkAllBegan() const;

    std::uint32_t ofRanks() const { return m_ofRanks; }
    /// Returns a sample of the process for one of its ranks'.
    Sample ofProcess(Sample sample) const;
    /// Returns how many iterations all of its ranks have made at least; absent before any was counted.
    std::optional<std::uint64_t> iterations() const;

private:
    bool isEach() const { return !m_each.empty(); }
    /// Returns whether iterations would count twice, since another rank reports those of the whole process, or this one
    /// would while each reports for itself.
    bool isReportedOtherwise(int rank, bool isForItself) const;
    /// Returns the rank of a line, which need not state it if there is one alone.
    std::optional<int> ownerOf(std::optional<int> rank) const { return m_own.count == 1 ? m_own.first : rank; }

    OwnRanks m_own;
    std::uint32_t m_ofRanks;
    std::optional<int> m_whole;                ///< that reports for the process
    std::optional<std::uint64_t> m_iterations; ///< of the process as a whole
    std::map<int, std::uint64_t> m_each;       ///< iterations of the ranks that report each for itself
};

} // namespace ringside::runner
