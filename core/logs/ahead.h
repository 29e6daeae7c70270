// SPDX-License-Identifier: MIT
// What lines before told of the records that follow: settings, the epoch that begins, a loss. By the rank that printed
// them; what nobody is named for holds for all. Pure. Internal to core/logs.
#pragma once

#include "core/logs/fields.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace ringside::logs {

class Ahead
{
public:
    /// False: there are more ranks than kMostRanks, and this one's line is passed over.
    bool note(std::optional<int> rank, const LineValues& values);
    /// Adds to a record's line what was told before and it does not tell itself. An epoch was announced by each of the
    /// processes that have no tags, so a line without a place takes the earliest announcement that `isPossible`.
    void complete(std::optional<int> rank, LineValues& values,
                  const std::function<bool(const LineValues&)>& isPossible);
    /// Another run begins, whose settings may have been told before its beginning.
    void forgetEpochs(std::optional<int> rank);

    /// The last epoch that was announced by anybody.
    std::optional<std::int64_t> epoch() const { return m_epoch; }
    /// What no record has taken.
    LineValues left() const;

private:
    struct Told
    {
        LineValues values = {};
        std::deque<std::int64_t> epochs = {};
        std::uint64_t run = 0; ///< in which the epochs were announced
    };
    /// Null: it has told nothing. Its epochs are those of this run.
    Told* find(std::optional<int> rank);

    std::map<std::optional<int>, Told> m_told;
    std::uint64_t m_run = 0; ///< how often another one began on all ranks
    std::optional<std::int64_t> m_epoch;
};

} // namespace ringside::logs
