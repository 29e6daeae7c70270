// SPDX-License-Identifier: MIT
// Reads a log of a known form, line by line, into runs, ranks and records. Any log costs bounded memory, and time that
// grows with its length alone.
#pragma once

#include "core/logs/ahead.h"
#include "core/logs/content.h"
#include "core/logs/damagedrecords.h"
#include "core/logs/format.h"
#include "core/logs/keyindex.h"
#include "core/logs/reporters.h"
#include "core/logs/sources.h"
#include "core/logs/stamp.h"
#include "core/logs/statedbatches.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// Limit for one log; what is behind is passed over, and a finding says so, as it does of ranks (sources.h).
inline constexpr std::uint64_t kMostRecords = 2'000'000;
inline constexpr std::size_t kMostRuns = 65'536;
inline constexpr std::size_t kMostClaims = 65'536;
/// Processes whose lines have no tags may be so many records apart when the last of them begins to print; a number that
/// goes back later is another run's.
inline constexpr std::size_t kMostDrift = 2;

class LogReader
{
public:
    /// `format` outlives the reader. `given` holds what the user says of the log, where the log does not.
    explicit LogReader(const LogFormat& format, LogSettings given = {});

    /// Reads lines in order, as LineSplitter returns them. Returns whether the format knows the line. A line that is
    /// not whole adds nothing, and is counted, as is one that no pattern knows since its record broke off.
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
    struct Line
    {
        std::uint64_t number;
        std::optional<int> rank;
        std::optional<Stamp> stamp;
        LineValues values;
        const LineForm* form;
        std::optional<Place> place = {}; ///< in the run of the source that printed it
        StatedBatches stated = {};       ///< beside the records: one that a record states itself may change
        bool isBehindHeader = false;     ///< settings were printed since the record before
    };

    std::vector<VersionRange> versionsSeen() const;
    const LineForm* formOf(std::string_view text, LineValues& values);
    void apply(Line& line);
    void beginRun(std::optional<int> rank, bool isAnnounced);
    void noteContext(Line& line);
    std::uint64_t headerOf(const Line& line);
    void addClaim(Line& line);
    void addLeft(LogRun& run);
    void noteStated(LogRun& run, const Line& line);
    void addRecord(Line& line);
    void complete(Line& line);
    bool isEvaluation(const Line& line) const;
    bool addToLast(const Line& line, const std::optional<double>& batch);
    bool isSame(const Line& line, const Source& source) const;
    LogRecord measured(const Line& line, const Source& source, const std::optional<double>& batch);
    void addMean(const Line& line, Source& source);
    void store(const Line& line, Source& source, LogRecord record);
    static bool statesItems(const Line& line, const LogRun& run);
    /// The lines of the source are several processes', in its run and in so many before it.
    void noteMixed(FindingCode code, std::uint64_t line, Source& source, std::size_t runsBefore);

    Source* sourceOf(Line& line);
    Source* addSource(const Line& line);
    Source* untaggedSource(const Line& line);
    Source* sameSource(const Line& line);
    bool mayBeAnother(const Line& line);
    bool isBehindOne(const Line& line);
    static std::optional<double> batchIn(const Line& line);
    LogRun& runAt(std::size_t index, std::uint64_t line);
    void note(Finding finding, std::uint64_t line);

    const LogFormat& m_format;
    LogSettings m_given;
    LogContent m_content;
    Sources m_sources;
    Ahead m_ahead;
    std::optional<std::uint64_t> m_prelude; ///< the first line of context since the last record
    std::uint64_t m_header = 0;             ///< the first line of context since another line, or another process began
    std::uint64_t m_lastContext = 0;
    std::uint64_t m_firstReporter = 0; ///< of ranks without tags that began together
    std::int64_t m_begun = 0;          ///< so many of these
    KeyIndex m_index;
    DamagedRecords m_damaged;
    Reporters m_reporters;
    std::vector<std::uint32_t> m_candidates; ///< forms that the line at hand may have
    std::size_t m_likely = 0;                ///< it has one of the first so many forms, as the line before
    std::vector<bool> m_isSeen;              ///< of each form, whether a line had it
    std::uint64_t m_lastRead = 0;            ///< the last line that the format knew
    std::uint64_t m_records = 0;
    std::size_t m_claims = 0;
};

} // namespace ringside::logs
