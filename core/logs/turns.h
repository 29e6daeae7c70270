// SPDX-License-Identifier: MIT
// Recognises processes that print by turns, record by record, into lines that nothing tells apart: what seems to be one
// process goes back at every record or two, each time to a later place. Pure. Internal to core/logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ringside::logs {

/// Epoch and iteration.
using Place = std::pair<std::int64_t, std::int64_t>;

/// Runs of two records, each followed by one that begins behind its first and not behind its second, from which on they
/// are no runs; or as many that are longer, all equally long, each followed by one that begins before its second: jobs
/// at several places, each of which goes on by less than what lies between them. A resumed job goes back once a restart
/// and prints more in between. Runs of a sweep begin at the same place again, or are longer, or fewer: nothing else
/// distinguishes those of two records from turns.
inline constexpr int kTurnsToDecide = 12;

class Turns
{
public:
    /// Adds the place of the next record, which is in this run and on this line. Returns whether the records so far
    /// show that several processes printed them.
    bool add(const Place& at, std::size_t run, std::uint64_t line);
    /// The run and the line of the first record that went back.
    std::size_t firstRun() const { return m_firstRun; }
    std::uint64_t firstLine() const { return m_firstLine; }

private:
    void endRun(const Place& at, std::uint64_t line);
    bool isTurn(const Place& at) const;
    void forget();

    std::optional<std::size_t> m_run;               ///< the run at hand
    Place m_first = {}, m_second = {}, m_last = {}; ///< of its records
    std::size_t m_records = 0;
    int m_turns = 0;          ///< less the runs that were none
    bool m_isBegun = false;   ///< whether the first run of turns is known
    std::size_t m_length = 0; ///< records of each longer run of turns; 0: none yet
    std::size_t m_firstRun = 0;
    std::uint64_t m_firstLine = 0;
};

} // namespace ringside::logs
