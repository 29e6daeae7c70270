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

/// Runs that went on from the one before after a record or two, from which on they are no runs. One that is resumed
/// goes back once a restart and prints more in between; a sweep begins at the same place again.
inline constexpr int kTurnsToDecide = 6;
/// Processes that stand at the same place print it one behind the other. So many runs in a row may begin where the one
/// before did; more are runs.
inline constexpr int kMostAtOnce = 8;

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
    void forget();

    std::optional<std::size_t> m_run;               ///< the run at hand
    Place m_first = {}, m_second = {}, m_last = {}; ///< of its records
    std::size_t m_records = 0;
    int m_turns = 0; ///< runs that ended after a record or two, and went on later
    int m_atOnce = 0;
    std::size_t m_firstRun = 0;
    std::uint64_t m_firstLine = 0;
};

} // namespace ringside::logs
