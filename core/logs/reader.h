// SPDX-License-Identifier: MIT
// Reads a log of a known form, line by line, into runs, ranks and records. Memory is bounded by kMostRecords.
#pragma once

#include "core/logs/ahead.h"
#include "core/logs/content.h"
#include "core/logs/format.h"
#include "core/logs/keyindex.h"
#include "core/logs/stamp.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::logs {

/// Limit for one log; what is behind is passed over, and a finding says so.
inline constexpr std::uint64_t kMostRecords = 2'000'000;
/// Processes whose lines have no tags may be so many records apart; what goes back further is another run.
inline constexpr std::size_t kMostDrift = 2;

class LogReader
{
public:
    /// `format` outlives the reader. `given` holds what the user says of the log, where the log does not.
    explicit LogReader(const LogFormat& format, LogSettings given = {});

    /// Reads lines in order, as LineSplitter returns them. Returns whether the format knows the line. A line that is
    /// not whole adds nothing, and is counted.
    bool read(std::uint64_t number, std::string_view line, bool isWhole = true);
    /// A record and the process that it is of.
    struct Taken
    {
        Scope scope;
        std::optional<int> rank;
        LogRecord record;
        std::vector<PhaseTime> phases; ///< of the record
    };
    /// Removes and returns the records, by line, but not those of epochs, which are forgotten: for a log that grows.
    /// Further lines may add to the last record of each process; so it stays unless `isAll`.
    std::vector<Taken> takeRecords(bool isAll);
    /// The first line of what stays; the one behind the last line where nothing does.
    std::uint64_t firstHeld() const;
    /// Returns what has been read. Call it once.
    LogContent finish();

private:
    /// Epoch and iteration.
    using Place = std::pair<std::int64_t, std::int64_t>;

    /// A process that prints, and where it stands: what the numbers of its next line are differences to. It prints
    /// records of one scope; another scope of the same process is another source.
    struct Source
    {
        Source(std::optional<int> whose, Scope of, std::size_t inRun)
            : rank(whose)
            , scope(of)
            , run(inRun)
        {
        }

        std::optional<int> rank;
        Scope scope;
        std::size_t run;
        std::optional<std::size_t> lane; ///< of the run, once it has a record
        std::optional<std::int64_t> epoch;
        const LineForm* form = nullptr; ///< of its last record
        LineValues last;
        std::vector<Place> recent; ///< places of its last records in the run, at most kMostDrift + 1
        std::optional<Stamp> stamp;
        std::optional<Printed> iterationsOverRate; ///< of Meaning::mean, at its last record
        bool holdsTest = false;
    };
    struct Line
    {
        std::uint64_t number;
        std::optional<int> rank;
        std::optional<Stamp> stamp;
        LineValues values;
        const LineForm* form;
        std::optional<Place> place = {}; ///< in the run of the source that printed it
    };

    const LineForm* formOf(std::string_view text, LineValues& values);
    void apply(Line& line);
    void begin(const Line& line);
    void noteContext(const Line& line);
    void noteTest(const Line& line);
    void addClaim(const Line& line);
    void addRecord(Line& line);
    void complete(Line& line);
    bool isEvaluation(const Line& line) const;
    bool addToLast(const Line& line, const std::optional<double>& batch);
    bool isSame(const Line& line, const Source& source) const;
    LogRecord measured(const Line& line, const Source& source, const std::optional<double>& batch);
    void addMean(const Line& line, Source& source);
    void store(const Line& line, Source& source, LogRecord record);

    Source& sourceOf(Line& line);
    Source* taggedSource(const Line& line);
    Source* untaggedSource(const Line& line);
    bool mayBeAnother(const Line& line) const;
    bool isBehindOne(const Line& line) const;
    static std::optional<double> batchIn(const Line& line);
    static void noteSettings(LogSettings& settings, const LineValues& values);
    std::optional<Place> placeIn(const Source& source, const LineValues& values) const;
    void moveOn(Source& source);
    std::size_t runOf(const Line& line) const;
    template <class Apply> void forSourcesOf(const Line& line, Apply apply);
    LogRun& runAt(std::size_t index, std::uint64_t line);
    void note(Finding finding, std::uint64_t line);

    const LogFormat& m_format;
    LogSettings m_given;
    LogContent m_content;
    std::vector<Source> m_sources;
    Ahead m_ahead;
    std::optional<std::uint64_t> m_prelude; ///< the first line of context since the last record
    KeyIndex m_index;
    std::vector<std::uint32_t> m_candidates; ///< forms that the line at hand may have
    std::size_t m_likely = 0;                ///< it has one of the first so many forms, as the line before
    std::uint64_t m_records = 0;
};

} // namespace ringside::logs
