// SPDX-License-Identifier: MIT
// What has been read from a log. Values; nothing of it is guessed: what a log does not tell is absent.
#pragma once

#include "core/logs/fields.h"
#include "core/logs/format.h"
#include "core/protocol/phase.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::logs {

struct PhaseTime
{
    Phase phase;
    double seconds; ///< an iteration
};

/// What one line tells of some iterations of one rank, one node or all ranks. It stays one record, whatever it spans.
struct LogRecord
{
    std::uint64_t line = 0;
    std::optional<std::int64_t> epoch = {};
    std::optional<std::int64_t> iteration = {}; ///< the last one
    std::optional<double> iterations = {};      ///< how many
    std::optional<double> seconds = {};         ///< in which they ran
    bool isByStamps = false;                    ///< those are what passed between two lines
    std::optional<double> items = {};
    std::optional<double> itemRate = {}; ///< items over seconds; as printed only where those are not told
    std::optional<double> iterationRate = {};
    std::optional<double> loss = {};    ///< a mean over iterations
    bool isLossSum = false;             ///< how many they were is not told: it is their sum
    std::vector<PhaseTime> phases = {}; ///< those that are told
    bool holdsTest = false;             ///< an evaluation ran in the same time
    bool isRefused = false;             ///< its numbers contradict each other: it counts for no figure
};

/// The records of one process, or of a node or all ranks if it printed those.
struct LogLane
{
    std::optional<int> rank = {}; ///< by a launcher's tag, or as the line says
    Scope scope = Scope::rank;
    std::vector<LogRecord> records;
    std::vector<LogRecord> epochs;
};

/// What the program says of itself.
struct LogClaim
{
    std::uint64_t line = 0;
    Scope scope = Scope::rank;
    std::optional<double> itemRate = {};
    std::optional<double> iterationRate = {};
};

/// Settings that a log tells or the user says.
struct LogSettings
{
    std::optional<std::int64_t> batchPerRank = {};
    std::optional<std::int64_t> batchGlobal = {};
    std::optional<std::int64_t> itemsPerEpoch = {}; ///< of what the lines are about
    std::optional<std::int64_t> ranks = {};
    std::optional<std::int64_t> nodes = {};
};

struct LogRun
{
    std::uint64_t firstLine = 0, lastLine = 0;
    LogSettings settings;
    std::vector<LogLane> lanes;
    std::vector<LogClaim> claims;
};

/// What is odd, where. Codes and numbers; sentences are made by
/// core/imports/findings.h.
enum class FindingCode : std::uint8_t
{
    rateAgainstTime,   ///< printed rate, and iterations or items over printed time
    timeAgainstStamps, ///< more time than passed between the lines
    countAgainstItems, ///< items, and iterations times batch, or the batch that the other records imply
    lanesDiffer,       ///< ranks that print a number of all ranks disagree
    claimDiffers,      ///< the program's summary, and its own records
    implausible,       ///< a rate or a time that is negative, or no number
    linesOfTwoRanks,   ///< the same iteration came twice without tags: read as ranks
    iterationsMissing, ///< between two records, by the numbers that the later one names
    testsInside,       ///< every record holds an evaluation, whose time cannot be told apart
    tooManyRecords,
    cutLines,    ///< which would have been read
    answerUnused ///< the log tells what the user said otherwise
};

struct Finding
{
    FindingCode code;
    std::uint64_t line = 0;
    double printed = 0;      ///< the number that is not used
    double against = 0;      ///< what it should be by the others
    std::uint64_t count = 1; ///< of further lines with the same finding, this one included
};

struct LogContent
{
    std::string format;
    std::vector<LogRun> runs;
    std::vector<Finding> findings;
    std::uint64_t lines = 0;
    std::uint64_t linesRead = 0; ///< that a pattern knew
};

} // namespace ringside::logs
