// SPDX-License-Identifier: MIT
#include "core/imports/preview.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/imports/ranksamples.h"
#include "core/logs/statedbatches.h"
#include "core/protocol/models.h"
#include "core/spec/experiment.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"
#include "core/stats/throughput.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside::imports {

namespace {

/// A log may say anything; what is no value of the setting is ignored.
void setNumber(Settings& settings, const char* key, const std::optional<std::int64_t>& number)
{
    if (number)
        if (const auto value = spec::canonicalValue(*spec::findSetting(key), Value(*number)))
            settings[key] = *value;
}

/// An option of another system's, which is said of other logs, is none of this one's.
bool isOf(const std::string& engine, std::string_view key)
{
    return !spec::isOption(key) || key.starts_with(engine + ".");
}

/// Gradients may be accumulated: then several batches of a rank are one in all.
bool doBatchesDiffer(const logs::LogSettings& stated)
{
    const auto& [own, all, ranks] = std::tie(stated.batchPerRank, stated.batchGlobal, stated.ranks);
    if (!own || !all || !ranks)
        return false;
    const bool isMore = *own > *all / *ranks; // a log may print any numbers, whose product is none
    return isMore || *all % (*own * *ranks) != 0;
}

/// Returns what the user says, and over it what the log states.
Settings settingsOf(const logs::LogRun& run, const logs::LogFigure& figure, const logs::LogFormat& format,
                    const Answers& answers)
{
    Settings settings = {{"engine", format.name},
                         {"model", std::string(spec::kModelNotTold)},
                         {"site", std::string(spec::kImportedSite)}};
    if (format.items != logs::LineItems::model)
        settings[kItemsKey] = std::string(nameOf(format.items));
    for (const auto& [key, value] : answers.settings)
        if (key != "batch_global" && isOf(format.name, key)) // the batch below, as what it is per rank
            settings[key] = value;
    const bool areRanksTold = figure.ranks > 0 && !contains(figure.missing, std::string_view("ranks"));
    const auto ranks = areRanksTold ? std::optional(figure.ranks) : std::nullopt;
    setNumber(settings, "ranks", ranks);
    setNumber(settings, "nodes", run.settings.nodes);
    if (run.settings.model)
        settings["model"] = std::string(knownModels()[static_cast<std::size_t>(*run.settings.model - 1)].name);
    setNumber(settings, "batch_per_rank", run.settings.batchPerRank);
    const auto& global = run.settings.batchGlobal;
    if (global && ranks && *global % *ranks == 0 && !doBatchesDiffer(run.settings) &&
        (figure.scope == logs::Scope::all || !run.settings.batchPerRank))
        setNumber(settings, "batch_per_rank", *global / *ranks);
    settings["plan"] = std::string(integerOf(settings, "ranks") == 1 ? spec::kNoPlan : spec::kOwnPlan);
    return settings;
}

/// By the highest number: of ranks 0, 1 and 3 one is missing. Some programs count from 1.
std::int64_t ranksNamed(const logs::LogRun& run)
{
    std::int64_t highest = -1;
    bool isFirstThere = false;
    for (const logs::LogLane& lane : run.lanes)
        if (lane.scope == logs::Scope::rank && lane.rank) {
            highest = std::max<std::int64_t>(highest, *lane.rank);
            isFirstThere |= *lane.rank == 0;
        }
    return highest + (isFirstThere ? 1 : 0);
}

bool statesRanks(const logs::LogRun& run)
{
    return std::ranges::any_of(run.statements, [](const auto& each) { return each.second.settings.ranks.has_value(); });
}

/// If more processes print than the log states, they may be jobs beside each other, and only the user can say
/// whether all of them are ranks of one run.
logs::Finding askForRanks(logs::LogRun& run, std::int64_t seen, const std::optional<std::int64_t>& said)
{
    const logs::LogLane& first = run.lanes.front();
    const auto stated = static_cast<double>(*run.settings.ranks);
    run.settings.ranks = said >= seen ? said : std::nullopt;
    if (!run.settings.ranks)
        for (logs::LogLane& lane : run.lanes)
            lane.rank.reset();
    return {logs::FindingCode::ranksBeyondStated, run.firstLine, stated, static_cast<double>(seen), 1, first.file};
}

/// Not fewer ranks than those that printed, whatever was said, nor than their numbers say.
std::optional<logs::Finding> countLanes(logs::LogRun& run, const std::optional<std::int64_t>& said)
{
    const auto printed = std::ranges::count(run.lanes, logs::Scope::rank, &logs::LogLane::scope);
    const std::int64_t named = printed > 1 ? ranksNamed(run) : 0, most = std::max<std::int64_t>(printed, named);
    std::optional<logs::Finding> unclear;
    if (printed > 1 && run.settings.ranks && *run.settings.ranks < most && statesRanks(run))
        unclear = askForRanks(run, most, said);
    else if (named > printed)
        run.settings.ranks = std::max(run.settings.ranks.value_or(0), named);
    const auto atLeastSeen = [&](logs::Scope scope, std::optional<std::int64_t>& count) {
        const auto seen = std::ranges::count(run.lanes, scope, &logs::LogLane::scope);
        if (count)
            count = std::max<std::int64_t>(*count, seen);
    };
    atLeastSeen(logs::Scope::rank, run.settings.ranks);
    atLeastSeen(logs::Scope::node, run.settings.nodes);
    return unclear;
}

using Setting = std::optional<std::int64_t> logs::LogSettings::*;

struct Position
{
    std::uint64_t line = 0; ///< 0: it is not known
    std::size_t file = 0;
};

/// Returns where the log states the number that is used. Known of batches in lines beside the records, and of ranks.
Position statedAt(const logs::LogRun& run, Setting setting)
{
    for (std::size_t batch = 0; batch < logs::kBatches.size(); ++batch)
        if (logs::kBatches[batch].setting == setting && run.stated[batch].number == run.settings.*setting)
            return {run.stated[batch].line, run.stated[batch].file};
    if (setting == &logs::LogSettings::ranks)
        for (const auto& [name, stated] : run.statements)
            if (stated.settings.ranks == run.settings.ranks)
                return {stated.ranksLine, stated.ranksFile};
    return {};
}

void addUnused(std::vector<logs::Finding>& findings, const logs::LogSettings& said, const logs::LogRun& run)
{
    using logs::LogSettings;
    const LogSettings& used = run.settings;
    for (const auto number : {&LogSettings::batchPerRank, &LogSettings::batchGlobal, &LogSettings::itemsPerEpoch,
                              &LogSettings::ranks, &LogSettings::nodes})
        if (said.*number && used.*number && said.*number != used.*number) {
            const Position at = statedAt(run, number);
            findings.push_back({.code = logs::FindingCode::answerUnused,
                                .line = at.line,
                                .printed = static_cast<double>(*(said.*number)),
                                .against = static_cast<double>(*(used.*number)),
                                .file = at.file});
        }
}

void addBatchesThatDiffer(std::vector<logs::Finding>& findings, const logs::LogSettings& stated)
{
    if (doBatchesDiffer(stated))
        findings.push_back({.code = logs::FindingCode::batchesDiffer,
                            .printed = static_cast<double>(*stated.batchGlobal),
                            .against = static_cast<double>(*stated.batchPerRank) * static_cast<double>(*stated.ranks)});
}

void addUnusedModel(std::vector<logs::Finding>& findings, const Settings& said, const logs::LogSettings& used)
{
    const auto model = textOf(said, "model");
    const ModelFacts* facts = model ? modelFacts(*model) : nullptr;
    const auto place = facts ? facts - knownModels().data() + 1 : 0;
    if (facts && used.model && place != *used.model)
        findings.push_back({.code = logs::FindingCode::modelUnused,
                            .printed = static_cast<double>(place),
                            .against = static_cast<double>(*used.model)});
}

/// Fewer processes printed than there are, and each only for itself.
bool needsEqualRanks(const logs::LogRun& run, const logs::LogFigure& figure, std::size_t lanes)
{
    if (figure.scope == logs::Scope::all)
        return false;
    const std::int64_t all = figure.scope == logs::Scope::node ? run.settings.nodes.value_or(0) : figure.ranks;
    return static_cast<std::int64_t>(lanes) < all;
}

/// Makes the figure that of all ranks, as the user says that those which did not print did as much.
void countEqualRanks(logs::LogFigure& figure, const logs::LogRun& run)
{
    const std::int64_t all = figure.scope == logs::Scope::node ? run.settings.nodes.value_or(0) : figure.ranks;
    if (figure.perLane && all > 0)
        figure.itemsPerSecond = *figure.perLane * static_cast<double>(all);
}

/// Adds a finding if a few records took so long that the median is not what the store will hold.
void addPause(RunPreview& preview, const std::vector<logs::LaneWork>& lanes)
{
    constexpr double kMostDifference = 0.1;
    const auto& median = preview.figure.itemsPerSecond;
    if (!median || !preview.overTime || std::abs(*median - *preview.overTime) <= kMostDifference * *median)
        return;
    const logs::Work* slowest = nullptr;
    std::size_t file = 0;
    for (const logs::LaneWork& lane : lanes)
        for (const logs::Work& work : lane.works)
            if (!work.isWarmup && (!slowest || work.items * slowest->seconds < slowest->items * work.seconds)) {
                slowest = &work;
                file = lane.lane->file;
            }
    if (slowest)
        preview.findings.push_back(
            {logs::FindingCode::medianAgainstWork, slowest->record->line, *median, *preview.overTime, 1, file});
}

void addMissing(RunPreview& preview, std::string_view key, bool isMissing)
{
    if (isMissing && !contains(preview.missing, key))
        preview.missing.emplace_back(key);
}

/// Among ranks that are known, the batch of one says that of all.
void dropImplied(std::vector<std::string>& missing, const logs::LogSettings& known)
{
    if (known.batchPerRank && contains(missing, "ranks"))
        std::erase(missing, "batch_global");
}

RunPreview previewOfRun(const ReadLog& log, std::size_t number, const Answers& answers)
{
    const logs::LogRun& run = log.runs[number];
    const int warmup = log.format->warmupRecords;
    RunPreview preview{.run = number, .figure = logs::figureOf(run, warmup)};
    const auto work = logs::workOf(run, preview.figure, warmup);
    if (answers.equalRanks && needsEqualRanks(run, preview.figure, work.size()))
        countEqualRanks(preview.figure, run);
    preview.settings = settingsOf(run, preview.figure, *log.format, answers);
    preview.missing = mapped<std::string>(preview.figure.missing, [](std::string_view key) { return key; });
    bool isUntimed = false;
    for (const logs::LaneWork& lane : work) {
        preview.works += lane.works.size();
        isUntimed |= lane.untimed > 0;
    }
    const bool hasAny = preview.works > 0 || isUntimed || !preview.missing.empty();
    addMissing(preview, "ranks", hasAny && !integerOf(preview.settings, "ranks"));
    addMissing(preview, preview.figure.scope == logs::Scope::all ? "batch_global" : "batch_per_rank", isUntimed);
    addMissing(preview, kEqualRanks,
               hasAny && !answers.equalRanks && needsEqualRanks(run, preview.figure, work.size()));
    dropImplied(preview.missing, run.settings);
    preview.findings = logs::findingsOf(run, preview.figure, warmup);
    addUnused(preview.findings, answers.logs, run);
    addUnusedModel(preview.findings, answers.settings, run.settings);
    addBatchesThatDiffer(preview.findings, run.settings);
    if (preview.missing.empty())
        preview.overTime = rateOf(samplesOf(run, preview.figure, warmup));
    addPause(preview, work);
    return preview;
}

} // namespace

LogPreview previewOf(ReadLog log, const Answers& answers)
{
    LogPreview preview{.log = std::move(log)};
    for (logs::LogRun& run : preview.log.runs)
        if (const auto unclear = countLanes(run, answers.logs.ranks))
            logs::addFinding(preview.log.findings, *unclear, unclear->line);
    for (std::size_t number = 0; number < preview.log.runs.size(); ++number)
        preview.runs.push_back(previewOfRun(preview.log, number, answers));
    preview.links = linkPreviewsOf(preview.log, answers);
    return preview;
}

namespace {

Result<const logs::LogFormat*> formatNamed(const std::string& name, std::span<const logs::LogFormat> formats)
{
    if (name.empty())
        return nullptr;
    const auto found = std::ranges::find(formats, name, &logs::LogFormat::name);
    if (found != formats.end())
        return &*found;
    const std::vector<std::string> known = mapped(formats, &logs::LogFormat::name);
    const auto meant = closestWord(name, known);
    return fail(ErrorCode::usage, Words::tr("There is no log form “{}”.", plainText(name)),
                meant ? Words::tr("Did you mean “{}”?", *meant)
                      : Words::tr("There are: {}.", joined(known, std::string_view(", "))));
}

std::uint64_t bytesOf(const std::vector<LogSource>& sources)
{
    std::uint64_t bytes = 0;
    for (const LogSource& source : sources)
        for (const LogFile& file : source.files) {
            std::error_code none; // who reads it says so
            const std::uintmax_t size = fs::file_size(file.path, none);
            bytes += none ? 0 : size;
        }
    return bytes;
}

} // namespace

Result<Previews> previewLogs(const PreviewRequest& request, std::span<const logs::LogFormat> formats)
{
    TRY_ASSIGN(const logs::LogFormat* as, formatNamed(request.as, formats));
    const Naming naming = request.answers.separateFiles ? Naming::tellsNothing : Naming::mayTellRanks;
    TRY_ASSIGN(const std::vector<LogSource> sources, findLogs(request.paths, naming));
    ReadRequest reading{.formats = formats, .as = as, .given = request.answers.logs, .stop = request.stop};
    std::uint64_t done = 0;
    if (request.onBytes)
        reading.onBytes = [&, all = bytesOf(sources)](std::uint64_t bytes) { request.onBytes(done += bytes, all); };
    Previews previews;
    for (const LogSource& source : sources) {
        auto log = readLog(source, reading);
        const bool isCancelled = !log && log.error().code == ErrorCode::cancelled;
        if (!log && (source.wasNamed || isCancelled))
            return tl::unexpected(std::move(log.error()));
        if (!log)
            previews.unreadable.push_back(std::move(log.error()));
        else if (source.wasNamed || !log->runs.empty() || !log->tables.empty())
            previews.logs.push_back(previewOf(std::move(*log), request.answers));
        else if (previews.passedOver += source.files.size(); previews.firstPassedOver.empty())
            previews.firstPassedOver = source.files.front().path;
    }
    return previews;
}

std::vector<std::string> missingIn(const LogPreview& log)
{
    std::vector<std::string> missing;
    const auto add = [&](const auto& preview) {
        for (const std::string& key : preview.missing)
            if (!contains(missing, key))
                missing.push_back(key);
    };
    std::ranges::for_each(log.runs, add);
    std::ranges::for_each(log.links, add);
    return missing;
}

std::vector<std::string> missingIn(const std::vector<LogPreview>& logs)
{
    std::vector<std::string> missing;
    for (const LogPreview& log : logs)
        if (!log.isLeftOut)
            for (std::string& key : missingIn(log))
                if (!contains(missing, key))
                    missing.push_back(std::move(key));
    return missing;
}

bool isComplete(const RunPreview& run)
{
    return run.overTime.has_value();
}

bool isSilent(const RunPreview& run)
{
    return run.missing.empty() && !isComplete(run);
}

bool isUsable(const LogPreview& log)
{
    return completeIn(log) > 0 || !missingIn(log).empty();
}

std::size_t completeIn(const LogPreview& log)
{
    const auto isMeasured = [](const LinkPreview& link) { return link.calibration.has_value(); };
    return static_cast<std::size_t>(std::ranges::count_if(log.runs, isComplete) +
                                    std::ranges::count_if(log.links, isMeasured));
}

} // namespace ringside::imports
