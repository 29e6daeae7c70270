// SPDX-License-Identifier: MIT
// The processes that print into one log, and where each of them stands. Any log costs bounded memory and, for each of
// its lines, bounded time: a line that names its rank finds it in a map, and what concerns all ranks is noted once.
// Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"
#include "core/logs/fields.h"
#include "core/logs/format.h"
#include "core/logs/stamp.h"
#include "core/logs/turns.h"
#include "core/protocol/phase.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::logs {

/// Ranks of one log that are told apart by their numbers: as many as the largest machines have.
inline constexpr std::size_t kMostRanks = 65'536;
/// Ranks without numbers. Each of their lines is compared with all of them, so there are fewer.
inline constexpr std::size_t kMostUntagged = 1'024;

/// Runs in which it is seen that a source is two processes, whose blocks are equally long.
inline constexpr std::size_t kRunsOfReturns = 3;

/// The place at which a run would have gone on, a step behind its last record.
struct Left
{
    Place at;
    std::int64_t step;
};

/// Running means of one epoch, at the last record that was made of them.
struct MeanSoFar
{
    std::int64_t epoch = 0;
    std::int64_t iterations = 0;
    Printed total = {0, 0};                      ///< of these, s or over items per second
    std::array<double, kPhaseCount> phases = {}; ///< s, of these; 0: not told
};

/// A process that prints, and where it stands: what the numbers of its next line are differences to. It prints records
/// of one scope; another scope of the same process is another source.
struct Source
{
    std::optional<int> rank = {};
    Scope scope = Scope::rank;
    std::size_t run = 0;
    std::uint64_t testsSeen = 0;          ///< of the evaluations of all ranks
    std::optional<std::size_t> lane = {}; ///< of the run, once it has a record
    std::optional<std::int64_t> epoch = {};
    const LineForm* form = nullptr; ///< of its last record
    LineValues last = {};
    std::size_t text = 0;                  ///< as of KnownLine, of the same line
    bool printsSeveral = false;            ///< lines of one form for one place, in words that differ
    std::optional<Place> place = {};       ///< of its last record in the run
    std::optional<Place> before = {};      ///< of the one before that
    std::optional<Place> plain = {};       ///< of its last interval without a rate of items, a record or not (hooks.h)
    std::size_t placed = 0;                ///< records in the run that have one
    std::optional<std::int64_t> step = {}; ///< iterations between its last two records, if they are of one epoch
    std::optional<Left> left = {};         ///< of its run before this one
    int returns = 0;                       ///< runs in a row that began where the one before the last had left
    Turns turns = {};                      ///< of its records in all runs
    bool isMixed = false;                  ///< it is several processes, which nothing tells apart
    std::size_t repeated = 0;              ///< so many of the first of them came twice, as ranks print what is of all
    std::optional<Stamp> stamp = {};
    std::optional<MeanSoFar> mean = {}; ///< of lines of Meaning::mean
    bool countsFromZero = false;        ///< the first iteration of these is number 0
    std::int64_t earlierIterations = 0; ///< of a run from which it goes on, which its means leave out
    bool holdsTest = false;

    /// Returns whether a record at this place goes on with the run before this one, of which it is the next, and not
    /// with this one: both are being printed, by two processes.
    bool goesOnEarlier(const Place& at) const;
    /// Returns whether so many runs in a row have begun where the one before the last had left, this place included.
    /// Once it may be a run that goes on from there.
    bool returnsToEarlier(const Place& at);
    void moveTo(const Place& at);
    /// Settings were printed before a record that goes back: the process has begun anew, and its runs so far were one
    /// job's.
    void noteRestart();
    /// Notes how much time passed since the record before, by their stamps.
    void moveStamp(const std::optional<Stamp>& now, LogRecord& record, LogLane& ownLane);
};

/// No rank in a call means all of them. Pointers to sources stay valid.
class Sources
{
public:
    /// Null: there is none yet.
    Source* tagged(int rank, Scope scope);
    /// Moves an untagged one that has printed nothing in its run to the run that its process has come to by lines of
    /// another scope.
    void catchUp(Source& untagged) const;
    /// Those that only the order of lines tells apart: of a name (namenumbers.h), or without any tag.
    std::deque<Source>& untagged(std::optional<int> name) { return m_untagged[name]; }
    /// Null: there are as many as are read.
    Source* add(std::optional<int> rank, Scope scope);

    /// The last run that the rank is in.
    std::size_t runOf(std::optional<int> rank) const;
    void setLane(Source& source, std::size_t lane);
    /// To the next run, in which it has printed nothing.
    void moveOn(Source& source);
    /// Those that have printed in their run move on. Where that is announced, their lines are one process's again until
    /// they are found to be several's.
    void begin(std::optional<int> rank, bool isAnnounced);

    void noteTest(std::optional<int> rank);
    /// Returns true if an evaluation has been noted since the last call.
    bool takeTest(Source& source) const;

private:
    std::size_t firstRunOf(std::optional<int> rank, Scope scope) const;
    std::size_t nextRunOf(int rank) const;
    template <class Self, class Apply> static void forSourcesOf(Self& self, int rank, Apply apply);

    std::map<std::pair<int, Scope>, Source> m_tagged;
    std::map<std::optional<int>, std::deque<Source>> m_untagged; ///< by name
    std::size_t m_named = 0;                                     ///< of these, those of names
    std::vector<Source*> m_printed;                              ///< all that have a lane, and some that had one
    std::size_t m_lastRun = 0, m_begunRun = 0;                   ///< of all; that began for all ranks
    std::uint64_t m_tests = 0;                                   ///< of all ranks
};

} // namespace ringside::logs
