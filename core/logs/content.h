// SPDX-License-Identifier: MIT
// Content of a log. Values; nothing of it is guessed: what is not in the log is absent.
#pragma once

#include "core/logs/fields.h"
#include "core/logs/format.h"
#include "core/protocol/calibration.h"
#include "core/protocol/names.h"
#include "core/protocol/phase.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ringside::logs {

struct PhaseTime
{
    Phase phase;
    double seconds; ///< an iteration
};

/// A std::optional in the room of its value: a log has millions of them. Its bits are no number that a log prints.
template <class Number> class Told
{
public:
    Told(std::nullopt_t = std::nullopt) {}
    Told(Number number)
        : m_number(number)
    {
    }
    Told(const std::optional<Number>& number)
        : m_number(number.value_or(kNone))
    {
    }

    bool has_value() const { return std::bit_cast<std::int64_t>(m_number) != kNoneBits; }
    explicit operator bool() const { return has_value(); }
    const Number& operator*() const { return m_number; }
    operator std::optional<Number>() const { return has_value() ? std::optional(m_number) : std::nullopt; }
    Number value_or(Number other) const { return has_value() ? m_number : other; }
    friend bool operator==(const Told& one, const Told& other) { return one == std::optional<Number>(other); }
    friend bool operator==(const Told& one, Number other) { return one.has_value() && *one == other; }
    friend bool operator==(const Told& one, const std::optional<Number>& other)
    {
        return std::optional<Number>(one) == other;
    }

private:
    static constexpr std::int64_t kNoneBits = std::numeric_limits<std::int64_t>::max(); // of a double, no number
    static constexpr Number kNone = std::bit_cast<Number>(kNoneBits);
    Number m_number = kNone;
};

/// One line's report of some iterations of one rank, one node or all ranks. It stays one record, whatever it spans.
struct LogRecord
{
    std::uint64_t line = 0;
    Told<std::int64_t> epoch = {};
    Told<std::int64_t> iteration = {}; ///< the last one
    Told<double> iterations = {};      ///< how many
    Told<double> seconds = {};         ///< in which they ran
    Told<double> items = {};
    Told<double> itemRate = {}; ///< items over seconds; as printed only where those are not
    Told<double> iterationRate = {};
    Told<double> loss = {};       ///< a mean over iterations
    std::uint32_t firstPhase = 0; ///< in the lane's `phases`, where those that were printed lie
    float passed = -1;            ///< s since the record before, by the stamps of their lines; below 0: not told
    float roughness = 0;          ///< share of its rates, together, that printing may have rounded away
    std::uint8_t phases : 4 = 0;  ///< how many
    bool isByStamps : 1 = false;  ///< `seconds` are what passed between two lines
    bool isLossSum : 1 = false;   ///< over how many iterations is not printed: `loss` is their sum
    bool holdsTest : 1 = false;   ///< an evaluation ran in the same time
    bool isTooLong : 1 = false;   ///< it reports more time than passed between the lines, for which it is refused
    bool isRefused : 1 = false;   ///< its numbers contradict each other: it counts for no figure
    bool statesBatch : 1 = false; ///< its items are by its own lines, whatever the run's batch
    bool isByMean : 1 = false;    ///< the difference of two running means, whatever was printed between them
};
static_assert(std::is_trivially_copyable_v<LogRecord>); // or growing a list of them takes longer than reading them

/// The records of one process, or of a node or all ranks if it printed those.
struct LogLane
{
    std::size_t file = 0;         ///< of those that are read together, in which its lines stand
    std::optional<int> rank = {}; ///< by a launcher's tag, or as the line says
    Scope scope = Scope::rank;
    std::vector<LogRecord> records;
    std::vector<LogRecord> epochs;
    std::vector<PhaseTime> phases; ///< of both
    double stampHalfStep = 0;      ///< s, half of the last digit's unit in the stamps of its lines

    std::span<const PhaseTime> phasesOf(const LogRecord& record) const
    {
        return std::span(phases).subspan(record.firstPhase, record.phases);
    }
};

/// The program's statement about itself.
struct LogClaim
{
    std::uint64_t line = 0;
    Scope scope = Scope::rank;
    std::optional<double> itemRate = {};
    std::optional<double> iterationRate = {};
    std::size_t file = 0; ///< as of LogLane
};

/// Settings that a log states or the user says.
struct LogSettings
{
    std::optional<std::int64_t> batchPerRank = {};
    std::optional<std::int64_t> batchGlobal = {};
    std::optional<std::int64_t> itemsPerEpoch = {}; ///< of what the lines are about
    std::optional<std::int64_t> ranks = {};
    std::optional<std::int64_t> nodes = {};
    std::optional<std::int64_t> model = {};             ///< its place among knownModels(), from 1
    std::optional<std::int64_t> plannedIterations = {}; ///< those of an earlier run included
    std::optional<std::int64_t> earlierIterations = {}; ///< of that run, from which this one goes on
};

/// Notes those that a line states. The log's word wins over a user's, who may have answered for many logs at once.
void noteSettings(LogSettings& settings, const LineValues& values);
/// Notes those that were stated.
void noteSettings(LogSettings& settings, const LogSettings& stated);

/// A batch that a line beside the records states.
struct StatedBatch
{
    std::int64_t number = 0;
    std::uint64_t line = 0;  ///< 0: no line states it
    std::int64_t other = 0;  ///< that another line states: which of them trains is unclear; 0: none does
    bool isReported = false; ///< by reporters alone (Meaning), of which each states its own
    std::size_t file = 0;    ///< as of LogLane
    bool isUnclear() const { return other != 0; }
};
/// The batch of a rank, and the one of all ranks.
using StatedBatches = std::array<StatedBatch, 2>;

/// Settings that lines state, without those that the user says.
struct Statements
{
    LogSettings settings = {};
    StatedBatches batches = {};
    std::uint64_t ranksLine = 0; ///< the last one that states how many ranks there are
    std::size_t ranksFile = 0;   ///< in which it stands, as of LogLane
};

struct LogRun
{
    std::uint64_t firstLine = 0, lastLine = 0;
    LogSettings settings;
    std::vector<LogLane> lanes;
    std::vector<LogClaim> claims;
    bool isMixed = false;      ///< of lines of several processes that nothing tells apart: none of its records counts
    StatedBatches stated = {}; ///< of those that are unclear, `settings` has what the user says
    std::map<std::optional<int>, Statements> statements = {}; ///< by the name before the lines (namenumbers.h), if any
};

/// Lets none of its records count for a figure.
void refuseAll(LogRun& run);

/// Something odd, and its place. Codes and numbers; core/imports/note.h makes sentences.
enum class FindingCode : std::uint8_t
{
    rateAgainstTime,         ///< printed rate, and iterations or items over printed time
    timeAgainstStamps,       ///< more time than passed between the lines
    recordAgainstStamps,     ///< less time than passed between the lines, where that is as for other records
    rateAgainstStamps,       ///< the rate of most records, and that by their stamps: more time passed
    rateAgainstStampedBatch, ///< the same, where the latter is reckoned with the batch that was told
    countAgainstItems,       ///< items, and iterations times batch, or the batch that the other records imply
    rateAgainstBatch,        ///< printed rate, and the batch that the log or the user tells, over time
    earlierIterations,       ///< iterations that a rate counts, and those that were made since the run went on
    ranksDiffer,             ///< numbers of ranks that two lines of a run state
    modelsDiffer,            ///< models, as modelUnused, that the files of a run state
    ranksBeyondStated,       ///< ranks that a run states, and more processes that print: which are its ranks is unclear
    batchesDiffer,           ///< the batch in all, and that of a rank times the ranks that the user says
    batchUnclear,            ///< two batches that lines beside the records state: neither is used
    lanesDiffer,             ///< lines of all ranks by one and by others disagree
    claimDiffers,            ///< the program's summary, and its own records
    implausible,             ///< a rate or a time that is no number, or beyond any machine
    mixedProcesses,          ///< lines of several alternate, and nothing tells whose they are
    recordsByTurns,          ///< runs go back after every record or two: lines of several jobs, or parts of one step
    linesOfTwoRanks,         ///< the same iteration came twice without tags: read as ranks
    podsAsRanks,             ///< names of pods before lines, which were read as ranks, and ranks that are told
    podsInTurn,              ///< a pod prints when others have ended: read as another run
    podsUnclear,             ///< pods print side by side for a short time only: whether they are ranks is unclear
    iterationsMissing,       ///< between two records, by the numbers that the later one names
    epochsMissing,           ///< an epoch that was announced, and has no record before that of a later one
    ranksEndApart,           ///< some ranks' lines go on longer than others': what only some print is left out
    testsInside,             ///< every record holds an evaluation, whose time cannot be separated
    tooManyRecords,
    tooManyRuns,
    tooManyRanks,
    tooManyClaims,
    cutLines,          ///< which would have been read
    damagedRecords,    ///< lines that begin as records of the form and break off
    answerUnused,      ///< the log states what the user said otherwise
    modelUnused,       ///< the same of a model, by its place among knownModels(), from 1
    medianAgainstWork, ///< median of the records' rates, and their work over time
    // These are about tables of links; such a row is not used.
    sizeAgainstRate,  ///< printed rate, and size over time
    busAgainstRate,   ///< printed bus bandwidth, and that of an all-reduce among so many ranks
    timesOutOfOrder,  ///< the fastest rank took longer than the mean, or that longer than the slowest
    wrongResults,     ///< the operation's results were wrong
    meansDiffer,      ///< the mean bus bandwidth in the program's own words, and that of its rows
    ranksUnclear,     ///< the lines of ranks do not count them: some are missing, or come twice
    rowsUnread,       ///< rows that are not as their line of titles says
    otherOperation,   ///< rows of tables that Ringside has no use for
    otherProgram,     ///< rows of a program that prints such tables of other devices
    operationUnclear, ///< rows of a table of which nothing tells the operation
    noSuchLink,       ///< so many ranks are not on so many nodes, or send nothing
    noCostFits,       ///< what a message costs cannot be told from the table's times
    placeUntold,      ///< so many ranks are fewer than those that the user's number of nodes is about
    tooManyTables,
    tooManyRows
};
/// Names in files: never reused.
constexpr auto namesOf(FindingCode)
{
    return std::to_array<std::string_view>({"rate_against_time",
                                            "time_against_stamps",
                                            "record_against_stamps",
                                            "rate_against_stamps",
                                            "rate_against_stamped_batch",
                                            "count_against_items",
                                            "rate_against_batch",
                                            "earlier_iterations",
                                            "ranks_differ",
                                            "models_differ",
                                            "ranks_beyond_stated",
                                            "batches_differ",
                                            "batch_unclear",
                                            "lanes_differ",
                                            "claim_differs",
                                            "implausible",
                                            "mixed_processes",
                                            "records_by_turns",
                                            "lines_of_two_ranks",
                                            "pods_as_ranks",
                                            "pods_in_turn",
                                            "pods_unclear",
                                            "iterations_missing",
                                            "epochs_missing",
                                            "ranks_end_apart",
                                            "tests_inside",
                                            "too_many_records",
                                            "too_many_runs",
                                            "too_many_ranks",
                                            "too_many_claims",
                                            "cut_lines",
                                            "damaged_records",
                                            "answer_unused",
                                            "model_unused",
                                            "median_against_work",
                                            "size_against_rate",
                                            "bus_against_rate",
                                            "times_out_of_order",
                                            "wrong_results",
                                            "means_differ",
                                            "ranks_unclear",
                                            "rows_unread",
                                            "other_operation",
                                            "other_program",
                                            "operation_unclear",
                                            "no_such_link",
                                            "no_cost_fits",
                                            "place_untold",
                                            "too_many_tables",
                                            "too_many_rows"});
}

struct Finding
{
    FindingCode code;
    std::uint64_t line = 0;
    double printed = 0;      ///< the number that is not used
    double against = 0;      ///< what it should be by the others
    std::uint64_t count = 1; ///< of further lines with the same finding, this one included
    std::size_t file = 0;    ///< of those that are read together, in which the line stands
};

/// Adds it, or counts it with an earlier one of its code.
void addFinding(std::vector<Finding>& findings, Finding finding, std::uint64_t line);

/// A row of a table of links.
struct LinkTime
{
    std::uint64_t line = 0;
    MessageTime message;
};

/// A table of message sizes. Rows that contradict themselves are not in it.
struct LinkTable
{
    std::uint64_t firstLine = 0, lastLine = 0; ///< of its head or titles, and of its last row
    TableOf operation = TableOf::untold;
    TableMemory memory = TableMemory::host;
    std::string backend;                      ///< as the setting has it; empty: MPI's own
    std::optional<std::int64_t> ranks, nodes; ///< as its lines tell them
    bool isOfSlowest = false;                 ///< times are those of the slowest rank, or means over ranks
    int places = 1; ///< each row has its numbers so many times: out of place and in place. The last are used
    std::vector<LinkTime> times = {};
    std::uint64_t rows = 0;    ///< that were read
    std::uint64_t refused = 0; ///< of them, since they contradict themselves or had wrong results
};

struct LogContent
{
    std::string format;
    std::vector<LogRun> runs;
    std::vector<LinkTable> tables = {}; ///< of links, where the form has them in place of runs
    std::vector<Finding> findings;
    std::uint64_t lines = 0;
    std::uint64_t linesRead = 0;             ///< that a pattern knew
    std::vector<VersionRange> versions = {}; ///< of the system, that print lines which were read; each once
};

} // namespace ringside::logs
