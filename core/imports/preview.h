// SPDX-License-Identifier: MIT
// Shows what was understood of logs before anything is stored: window and command line show it alike.
#pragma once

#include "core/imports/answers.h"
#include "core/imports/linktables.h"
#include "core/imports/reading.h"
#include "core/logs/figure.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::imports {

struct RunPreview
{
    std::size_t run = 0; ///< of ReadLog::runs
    logs::LogFigure figure;
    std::optional<double> overTime = {}; ///< items/s of all ranks: work over time behind the warm-up, without records
                                         ///< that hold an evaluation. The store will compute the same
    std::uint64_t works = 0;             ///< records that count for it, warm-up included
    std::vector<logs::Finding> findings = {};
    std::vector<std::string> missing = {}; ///< what the user has to say first (questionFor())
    Settings settings = {};                ///< of its configuration: only what was printed or said
};

struct LogPreview
{
    ReadLog log;
    std::vector<RunPreview> runs = {};
    std::vector<LinkPreview> links = {}; ///< of a benchmark of links, in place of runs
    bool isLeftOut = false;              ///< by the user: nothing is asked about it, and it is not stored
};

/// Previews a log that has been read with what `answers` say of logs.
LogPreview previewOf(ReadLog log, const Answers& answers);

struct PreviewRequest
{
    std::vector<fs::path> paths; ///< files and folders
    std::string as = {};         ///< the form that all of them have; empty: each is recognised
    Answers answers = {};
    std::stop_token stop = {};
    std::function<void(std::uint64_t done, std::uint64_t all)> onBytes = {}; ///< on the calling thread
};

struct Previews
{
    std::vector<LogPreview> logs;
    std::uint64_t passedOver = 0; ///< files in folders that are no logs
    fs::path firstPassedOver = {};
    std::vector<Error> unreadable = {}; ///< logs in folders that cannot be read: what hinders it
};

/// Reads them by these adapters' tables, which outlive what is read. Blocking; memory is bounded for each log. Fails as
/// findLogs and readLog, and with usage for a form that is not there.
Result<Previews> previewLogs(const PreviewRequest& request, std::span<const logs::LogFormat> formats);

/// Returns what the runs of a log miss, each once.
std::vector<std::string> missingIn(const LogPreview& log);
/// The same of all that are not left out.
std::vector<std::string> missingIn(const std::vector<LogPreview>& logs);

/// Returns whether its work over time is known, so that it can be stored.
bool isComplete(const RunPreview& run);
/// Returns whether no rate of the run can be used, whatever the user answers.
bool isSilent(const RunPreview& run);
/// Returns whether something of the log can be stored, now or once what it misses has been answered.
bool isUsable(const LogPreview& log);
/// Returns how many runs of the log can be stored, calibrations among them.
std::size_t completeIn(const LogPreview& log);

} // namespace ringside::imports
