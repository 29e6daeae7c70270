// SPDX-License-Identifier: MIT
// Collects what earlier lines said of the records that follow: settings, the epoch that begins, a loss. It is stored by
// the rank that printed it; without a rank it holds for all. Pure. Internal to core/logs.
#pragma once

#include "core/logs/fields.h"
#include "core/logs/knownline.h"
#include "core/logs/sources.h"
#include "core/logs/statedbatches.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace ringside::logs {

/// Values that lines state, and the batches among them.
struct Noted
{
    LineValues values = {};
    StatedBatches stated = {};
    std::uint64_t ranksLine = 0; ///< as of Statements, where the values have a number of ranks
    void dropBatch(std::size_t batch);
};

class Ahead
{
public:
    /// `header` is the first of the lines without others between them of which this is the last: another batch that the
    /// process has stated on one of them makes this one unclear. An earlier one was a run's that printed no record.
    /// False: there are more ranks than kMostRanks, and this one's line is passed over.
    bool note(std::optional<int> rank, const Noted& noted, std::uint64_t header);
    struct Completed
    {
        bool isBehindHeader = false; ///< settings are among what was printed before: a process prints it when it begins
        std::optional<std::int64_t> lost = {}; ///< an epoch that was announced before this record's and has none
    };
    /// Adds to a record's line what was printed before and is not in the line itself. An epoch was announced by each of
    /// the processes that have no tags, so a line without a place uses the earliest announcement that `isPossible`.
    Completed complete(KnownLine& line, const std::function<bool(const LineValues&)>& isPossible);
    /// Another run begins, whose settings may have been printed before its beginning.
    void forgetEpochs(std::optional<int> rank);

    /// The last epoch that this process announced in its run; of one that never announces any, the last of all.
    std::optional<std::int64_t> epoch(std::optional<int> rank) const;
    /// Returns whether the values announce an epoch before that one: another run begins.
    bool goesBack(std::optional<int> rank, const LineValues& values) const;
    /// Returns where a line would stand in this source's run. A number that goes back where an epoch has been announced
    /// since is the new epoch's.
    std::optional<Place> placeIn(const Source& source, const LineValues& values) const;
    /// Returns what no record has used, but of batches only those that were stated since this line.
    Noted left(std::uint64_t since) const;

private:
    struct Announced
    {
        Noted noted = {};
        std::deque<std::int64_t> epochs = {};   ///< that no record has used
        std::optional<std::int64_t> epoch = {}; ///< the last one
        std::optional<std::int64_t> lost = {};  ///< the first that another one followed before a record used it
        bool announces = false;                 ///< has announced one in any run
        bool isSeveral = false;                 ///< processes without tags: one of them never announces an epoch twice
        std::uint64_t run = 0;                  ///< in which the epochs were announced
        void announce(std::int64_t next, bool isTagged);
        void forgetEpochs()
        {
            epochs.clear();
            epoch.reset();
            lost.reset();
            isSeveral = false;
        }
    };
    /// Null: it has announced nothing. Its epochs are those of this run.
    Announced* find(std::optional<int> rank);

    std::map<std::optional<int>, Announced> m_announced;
    std::uint64_t m_run = 0; ///< how often another one began on all ranks
    std::optional<std::int64_t> m_epoch;
};

} // namespace ringside::logs
