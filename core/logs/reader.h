// SPDX-License-Identifier: MIT
// Reads a log of a known form, line by line, into runs, ranks and records. Any log costs bounded memory, and time that
// grows with its length alone.
#pragma once

#include "core/logs/damagedrecords.h"
#include "core/logs/format.h"
#include "core/logs/headers.h"
#include "core/logs/knownline.h"
#include "core/logs/lineforms.h"
#include "core/logs/logruns.h"
#include "core/logs/parts.h"
#include "core/logs/processes.h"
#include "core/logs/reporters.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// Limits for one log; what is behind is passed over, and a finding says so, as it does of ranks (sources.h) and runs
/// (processes.h).
inline constexpr std::uint64_t kMostRecords = 2'000'000;
inline constexpr std::size_t kMostClaims = 65'536;

class LogReader
{
public:
    /// `format` outlives the reader. `given` holds what the user says of the log, where the log does not.
    explicit LogReader(const LogFormat& format, LogSettings given = {});

    /// Reads lines in order, as LineSplitter returns them. Returns whether the format knows the line. A line that is
    /// not whole adds nothing, and is counted, as is one that no pattern knows since its record broke off.
    bool read(std::uint64_t number, std::string_view line, bool isWhole = true);
    /// Removes and returns the records, by line, but not those of epochs, which are forgotten: for a log that grows.
    /// Further lines may add to the last record of each process; so it stays unless `isAll`.
    std::vector<RecordOf> takeRecords(bool isAll);
    /// The first line of what stays; the one behind the last line where nothing does.
    std::uint64_t firstHeld() const;
    /// Returns what has been read. Call it once.
    LogContent finish();

private:
    void apply(KnownLine& line);
    void noteContext(KnownLine& line);
    void addClaim(KnownLine& line);
    void complete(KnownLine& line);
    void addRecord(KnownLine& line);
    bool addBeside(const KnownLine& line);
    bool addToLast(const KnownLine& line, const std::optional<double>& batch);
    void addMean(const KnownLine& line, Source& source);
    void moveTo(const KnownLine& line, Source& source);
    void store(const KnownLine& line, Source& source, LogRecord record, const LineValues& phases);
    static bool statesItems(const KnownLine& line, const LogRun& run);
    LogRun& runAt(std::size_t index, std::uint64_t line);

    const LogFormat& m_format;
    LineForms m_forms;
    DamagedRecords m_damaged;
    Reporters m_reporters;
    Headers m_headers;
    Parts m_parts;
    Processes m_processes;
    LogRuns m_runs;
    std::uint64_t m_lines = 0;
    std::uint64_t m_linesRead = 0; ///< that the format knew
    std::uint64_t m_lastRead = 0;  ///< the last of them
    std::uint64_t m_records = 0;
    std::size_t m_claims = 0;
};

} // namespace ringside::logs
