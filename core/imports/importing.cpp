// SPDX-License-Identifier: MIT
#include "core/imports/importing.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/imports/findings.h"
#include "core/imports/leftout.h"
#include "core/imports/ranksamples.h"
#include "core/imports/samelog.h"
#include "core/protocol/models.h"
#include "core/spec/matrix.h"
#include "core/spec/schema.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "core/store/imports.h"
#include "core/store/queries.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sys/stat.h>
#include <utility>

namespace ringside::imports {

namespace {

// ---- what is stored already

/// Files that were seen so far: logs by their content, and the files themselves by device and inode; and what the store
/// has of logs of their forms.
struct Seen
{
    std::map<std::string, const LogPreview*> contents;
    std::map<std::string, std::vector<store::ImportedContent>> stored; ///< by the name of their form
    std::set<std::pair<dev_t, ino_t>> files;
};

/// Returns whether another log has a file of this content, or this log the same file by another name. Ranks of one run
/// may print the same.
bool isThereTwice(const LogPreview& log, const ReadFile& file, Seen& seen)
{
    const bool isOfAnother = seen.contents.emplace(file.sha256, &log).first->second != &log;
    struct stat info = {};
    const bool isThere = ::stat(file.file.path.c_str(), &info) == 0; // it may be gone since it was read
    return (isThere && !seen.files.emplace(info.st_dev, info.st_ino).second) || isOfAnother;
}

Error importedAs(const std::string& path, const store::KnownImport& known)
{
    return {ErrorCode::exists,
            Words::tr("{} has been imported before: it is run {} of “{}”.", path, known.run, known.experiment),
            Words::tr("Nothing was stored. Leave it out.")};
}

/// Its work would count twice, as a repeat of itself.
Error importedInPart(const std::string& path, std::uint64_t lines, const store::KnownImport& known)
{
    return {ErrorCode::exists,
            Words::tr("{} has grown since it was imported: up to line {} it is run {} of “{}”.", path, lines, known.run,
                      known.experiment),
            Words::tr("Nothing was stored. Leave it out; or, to have all of it, delete that experiment and import its "
                      "logs again.")};
}

/// Returns why a file is not stored that is a log of the store by other bytes.
Result<std::optional<Error>> whySame(const store::Database& db, const LogPreview& log, const ReadFile& file, Seen& seen)
{
    const std::string& form = log.log.format->name;
    if (!seen.stored.contains(form)) {
        TRY_ASSIGN(seen.stored[form], store::importedContents(db, form));
    }
    TRY_ASSIGN(const auto same, sameLog(file, seen.stored[form]));
    if (!same)
        return std::nullopt;
    const std::string path = plainText(file.file.path.string());
    TRY_ASSIGN(const auto known, store::importOf(db, same->content.sha256));
    if (!known)
        return std::nullopt;
    return same->hasGrown ? importedInPart(path, same->content.lines, *known) : importedAs(path, *known);
}

/// Under whatever name; the same file in two places is one log, too. Files that report no work may all be alike, as
/// those of ranks that print nothing, or their settings alone, and say nothing of their log.
Result<std::optional<Error>> whyKnown(const store::Database& db, const LogPreview& log, const ReadFile& file,
                                      Seen& seen)
{
    if (!file.tellsWork)
        return std::nullopt;
    const std::string path = plainText(file.file.path.string());
    TRY_ASSIGN(const auto known, store::importOf(db, file.sha256));
    if (known)
        return importedAs(path, *known);
    if (isThereTwice(log, file, seen))
        return Error{ErrorCode::exists, Words::tr("{} has the same content as another of these files.", path),
                     Words::tr("Nothing was stored. Leave it out.")};
    return whySame(db, log, file, seen);
}

Result<std::optional<Error>> whyKnown(const store::Database& db, const LogPreview& log, Seen& seen)
{
    std::optional<Error> known;
    for (const ReadFile& file : log.log.files) {
        TRY_ASSIGN(const auto why, whyKnown(db, log, file, seen));
        known = known ? known : why;
    }
    return known;
}

/// Returns the logs of which something can be stored; others are noted as left out.
std::vector<const LogPreview*> usableLogs(const Previews& previews, Imported& imported)
{
    std::vector<const LogPreview*> logs;
    for (const LogPreview& log : previews.logs) {
        if (log.isLeftOut)
            continue;
        if (isUsable(log))
            logs.push_back(&log);
        else
            std::ranges::move(leftOutOf(log), std::back_inserter(imported.leftOut));
    }
    return logs;
}

/// Removes the logs that were imported before; one that was named itself is an error. What cannot be stored of the
/// others is noted as left out.
Result<void> removeKnown(const store::Database& db, std::vector<const LogPreview*>& logs, Imported& imported)
{
    std::vector<const LogPreview*> added;
    Seen seen;
    for (const LogPreview* log : logs) {
        TRY_ASSIGN(const auto known, whyKnown(db, *log, seen));
        if (known && log->log.wasNamed)
            return tl::unexpected(*known);
        if (known) {
            imported.leftOut.push_back(known->message);
            continue;
        }
        added.push_back(log);
        std::ranges::move(leftOutOf(*log), std::back_inserter(imported.leftOut));
    }
    logs = std::move(added);
    return {};
}

Error nothingLeft(const std::vector<std::string>& leftOut, bool areKnown)
{
    if (leftOut.empty())
        return {ErrorCode::usage, Words::tr("There is no log to import."), {}};
    return {areKnown ? ErrorCode::exists : ErrorCode::damaged, joined(leftOut, " "), Words::tr("Nothing was stored.")};
}

Result<std::vector<const LogPreview*>> logsToStore(const store::Database& db, const Previews& previews,
                                                   Imported& imported)
{
    std::vector<const LogPreview*> logs = usableLogs(previews, imported);
    const bool areKnown = imported.leftOut.empty();
    TRY(removeKnown(db, logs, imported));
    if (logs.empty())
        return tl::unexpected(nothingLeft(imported.leftOut, areKnown));
    return logs;
}

Result<void> requireAnswers(const std::vector<const LogPreview*>& logs)
{
    for (const LogPreview* log : logs)
        if (const auto missing = missingIn(*log); !missing.empty())
            return fail(ErrorCode::usage, Words::tr("{} does not report {}.", nameOf(*log), missing.front()),
                        questionFor(missing.front()).sentence);
    return {};
}

// ---- runs

store::SpoolArrival arrivalOf(const store::ImportedRun& run, const RunSamples& samples, const RankSamples& rank)
{
    store::SpoolArrival arrival;
    arrival.run = run.id;
    arrival.rank = rank.rank;
    arrival.header.emplace().worldSize = static_cast<std::uint32_t>(samples.worldSize);
    for (const Sample& sample : rank.samples)
        arrival.records.emplace_back(sample);
    arrival.records.emplace_back(End{.samples = static_cast<std::uint32_t>(rank.samples.size())});
    return arrival;
}

std::vector<store::ImportedFile> filesOf(const LogPreview& log, const std::vector<Note>& found)
{
    const auto notes = mapped(found, toStore);
    return mapped(log.log.files, [&](const ReadFile& file) {
        return store::ImportedFile{file.file.rank,
                                   fs::absolute(file.file.path).string(),
                                   file.sha256,
                                   file.bytes,
                                   file.lines,
                                   file.linesRead,
                                   log.log.format->name,
                                   log.log.format->title,
                                   versionsOf(log),
                                   RINGSIDE_VERSION,
                                   notes};
    });
}

/// Makes a cell of no length, so that logs of any length with the same settings are one configuration, and no planned
/// run is of it.
store::Cell cellOf(const Settings& settings)
{
    const AggregationPlan plan{.name = *textOf(settings, "plan")};
    return {spec::configurationKey(settings, plan, 0, 0), settings, plan};
}

store::ImportedRun importedRun(const LogPreview& log, const RunPreview& preview, const std::vector<Note>& notes)
{
    const RunSamples samples = samplesOf(log.log.runs[preview.run], preview.figure, log.log.format->warmupRecords);
    store::ImportedRun run{.id = RunId::random(), .cell = cellOf(preview.settings)};
    run.iterations = static_cast<int>(samples.iterations);
    run.warmup = static_cast<int>(samples.warmup);
    for (const RankSamples& rank : samples.ranks) {
        run.ranks.push_back(arrivalOf(run, samples, rank));
        for (std::size_t sample = 0; sample < rank.samples.size(); ++sample)
            run.lines.push_back({rank.rank, rank.samples[sample].seq, rank.lines[sample]});
    }
    run.files = filesOf(log, notes);
    return run;
}

/// A calibration has no samples; the lines are those of its times, by size, in the file of its table.
store::ImportedRun importedRun(const LogPreview& log, const LinkPreview& link)
{
    store::ImportedRun run{.id = RunId::random(), .cell = cellOf(link.settings)};
    run.facts = factsOf(link, log.log.format->title);
    const int rank = log.log.files[log.log.tables[link.table].file].file.rank.value_or(0);
    for (std::size_t time = 0; time < link.lines.size(); ++time)
        run.lines.push_back({rank, static_cast<std::uint32_t>(time), link.lines[time]});
    run.files = filesOf(log, notesOf(log, link));
    return run;
}

std::vector<store::ImportedRun> runsOf(const std::vector<const LogPreview*>& logs)
{
    std::vector<store::ImportedRun> runs;
    for (const LogPreview* log : logs) {
        const std::vector<Note> notes = log->runs.empty() ? std::vector<Note>() : notesOf(*log);
        for (const RunPreview& run : log->runs)
            if (isComplete(run))
                runs.push_back(importedRun(*log, run, notes));
        for (const LinkPreview& link : log->links)
            if (link.calibration)
                runs.push_back(importedRun(*log, link));
    }
    return runs;
}

// ---- their experiment

std::set<Value> levelsOf(const std::vector<Settings>& all, const std::string& key)
{
    std::set<Value> levels;
    for (const Settings& settings : all)
        if (const Value* value = valueOf(settings, key))
            levels.insert(*value);
    return levels;
}

/// Those that train, where any do: a calibration has no batch, and what it lacks would be no factor of theirs.
std::vector<Settings> comparedOf(const std::vector<Settings>& all)
{
    std::vector<Settings> compared = all;
    std::erase_if(compared, [](const Settings& settings) { return textOf(settings, "engine") == kCalibrationEngine; });
    return compared.empty() ? all : compared;
}

/// Settings that all have that are compared are fixed where they are equal, and factors where they are not. Nothing of
/// it is to be run.
spec::Experiment experimentOf(const std::string& name, const std::string& question, const std::vector<Settings>& all)
{
    spec::Experiment experiment;
    experiment.name = name;
    experiment.question = question;
    experiment.runs.repeats = 1;
    if (const std::set<Value> sites = levelsOf(all, "site"); sites.size() == 1)
        experiment.site = std::get<std::string>(*sites.begin());
    const std::vector<Settings> compared = comparedOf(all);
    std::map<std::string, std::set<Value>> levels;
    for (const Settings& settings : compared)
        for (const auto& [key, value] : settings)
            levels[key].insert(value);
    for (const std::string key : {"site", "plan", kItemsKey}) // where the runs are, and as their systems do and print
        levels.erase(key);
    std::vector<std::pair<std::string, std::set<Value>>> ordered(levels.begin(), levels.end());
    std::ranges::stable_partition(ordered, [](const auto& each) { return each.first == "engine"; }); // the question
    for (const auto& [key, values] : ordered) {
        const auto has = [&](const Settings& settings) { return settings.contains(key); };
        if (!std::ranges::all_of(compared, has))
            continue; // for those that do not tell it, nothing is known of it
        if (values.size() == 1)
            experiment.fixed[key] = *values.begin();
        else
            experiment.factors.push_back({key, {values.begin(), values.end()}});
    }
    for (const Value& engine : levelsOf(all, "engine"))
        experiment.exclude.push_back({{"engine", engine}});
    return experiment;
}

/// The settings of its runs, if it is as earlier imports made it of them, but for its question; else nothing.
Result<std::optional<std::vector<Settings>>> importedInto(const store::Database& db, const store::ExperimentRow& row)
{
    TRY_ASSIGN(const auto runs, store::runs(db, {.experiment = row.name, .kind = {}}));
    const auto isImported = [](const store::RunRow& run) { return run.kind == RunKind::imported; };
    if (runs.empty() || !std::ranges::all_of(runs, isImported))
        return std::nullopt;
    const auto all = mapped(runs, [](const store::RunRow& run) { return Settings(run.settings); });
    TRY_ASSIGN(const std::string text, store::experimentText(db, row.name));
    const auto stored = spec::parseStoredExperiment(text, row.name);
    return stored && *stored == experimentOf(row.name, row.question, all) ? std::optional(all) : std::nullopt;
}

/// Nothing where a person wrote it, or it has runs of its own: it stays as it is.
Result<std::optional<store::ExperimentEdit>> editOf(const store::Database& db, const std::string& name,
                                                    const std::vector<store::ImportedRun>& added)
{
    const Words::InEnglish english; // it is stored
    std::vector<Settings> all = mapped(added, [](const store::ImportedRun& run) { return run.cell.settings; });
    std::string question = Words::tr("What do these logs say?");
    TRY_ASSIGN(const auto row, store::experimentByName(db, name));
    if (row) {
        TRY_ASSIGN(const auto before, importedInto(db, *row));
        if (!before)
            return std::nullopt;
        all.insert(all.end(), before->begin(), before->end());
        question = row->question;
    }
    const spec::Experiment experiment = experimentOf(name, question, all);
    return store::ExperimentEdit{.name = name,
                                 .question = experiment.question,
                                 .site = experiment.site,
                                 .repeats = experiment.runs.repeats,
                                 .toml = spec::writeExperiment(experiment),
                                 .cells = {}};
}

/// The file's name without its ending, as far as an experiment can have it.
std::string nameAfter(const fs::path& file)
{
    constexpr std::size_t kMost = 60;
    const std::string stem = plainText(file.stem().string());
    const std::string name(trimmed(beginning(trimmed(stem), kMost)));
    return spec::checkName(name) ? name : "log";
}

/// After the first file, with a number behind it where that name is taken.
Result<std::string> newName(const store::Database& db, const LogPreview& first)
{
    const std::string base = nameAfter(first.log.files.front().file.path);
    TRY_ASSIGN(const auto all, store::experiments(db));
    const auto isTaken = [&](const std::string& name) {
        return std::ranges::find(all, name, &store::ExperimentRow::name) != all.end();
    };
    std::string name = base;
    for (int number = 2; isTaken(name); ++number)
        name = fmt::format("{} {}", base, number);
    return name;
}

} // namespace

Result<void> checkTarget(const store::Database* db, const std::string& experiment)
{
    if (experiment.empty())
        return {};
    const auto named = spec::checkName(experiment);
    if (named || !db)
        return named;
    TRY_ASSIGN(const auto row, store::experimentByName(*db, experiment));
    return row ? Result<void>() : named;
}

Result<std::vector<Error>> importedBefore(const store::Database& db, const Previews& previews)
{
    std::vector<Error> all;
    Seen seen;
    for (const LogPreview& log : previews.logs) {
        if (!isUsable(log))
            continue;
        TRY_ASSIGN(const auto known, whyKnown(db, log, seen));
        if (known)
            all.push_back(*known);
    }
    return all;
}

Result<Imported> storeImport(store::Database& db, const Import& import)
{
    TRY(checkTarget(&db, import.experiment));
    Imported imported{.experiment = import.experiment, .numbers = {}};
    TRY_ASSIGN(const auto logs, logsToStore(db, import.previews, imported));
    TRY(requireAnswers(logs));
    if (imported.experiment.empty()) {
        TRY_ASSIGN(imported.experiment, newName(db, *logs.front()));
    }
    const std::vector<store::ImportedRun> runs = runsOf(logs);
    TRY_ASSIGN(const auto edit, editOf(db, imported.experiment, runs));
    TRY_ASSIGN(imported.numbers, store::addImports(db, imported.experiment, edit, runs));
    return imported;
}

} // namespace ringside::imports
