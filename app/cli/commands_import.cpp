// SPDX-License-Identifier: GPL-3.0-or-later
// import: logs of any known form into the store, after what was understood of them has been printed.
#include "app/cli/commands.h"

#include "app/cli/importlinks.h"
#include "app/cli/output.h"
#include "core/adapters/logformats.h"
#include "core/base/say.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/imports/explain.h"
#include "core/imports/findings.h"
#include "core/imports/importing.h"
#include "core/imports/leftout.h"
#include "core/report/numbers.h"
#include "core/store/summaries.h"

#include <algorithm>
#include <cmath>

namespace ringside::cli {

namespace {

using imports::LogPreview;
using imports::RunPreview;

Json orNull(const std::optional<double>& number)
{
    return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json jsonOf(const LogPreview& log, const RunPreview& run)
{
    const logs::LogRun& read = log.log.runs[run.run];
    Json settings = Json::object();
    for (const auto& [key, value] : run.settings)
        settings[key] = toJson(value);
    Json summaries = Json::array();
    for (const logs::LogClaim& summary : summariesOf(log, run))
        summaries.push_back({{"scope", nameOf(summary.scope)},
                             {"items_per_second", orNull(summary.itemRate)},
                             {"iterations_per_second", orNull(summary.iterationRate)},
                             {"file", nameIn(log, log.log.files[summary.file])},
                             {"line", summary.line}});
    return {{"ranks", run.figure.ranks > 0 ? Json(run.figure.ranks) : Json(nullptr)},
            {"records", run.figure.records},
            {"left_out", run.figure.leftOut},
            {"refused", run.figure.refused},
            {"items_per_second", orNull(run.figure.itemsPerSecond)},
            {"items_per_second_of_one", orNull(run.figure.perLane)},
            {"items_per_second_over_time", orNull(run.overTime)},
            {"first_loss", orNull(run.figure.firstLoss)},
            {"last_loss", orNull(run.figure.lastLoss)},
            {"summaries", std::move(summaries)},
            {"scope", nameOf(run.figure.scope)},
            {"first_line", read.firstLine},
            {"last_line", read.lastLine},
            {"missing", run.missing},
            {"settings", std::move(settings)}};
}

Json jsonOf(const LogPreview& log)
{
    Json files = Json::array(), runs = Json::array(), links = Json::array(), findings = Json::array();
    for (const imports::ReadFile& file : log.log.files)
        files.push_back({{"path", file.file.path.string()},
                         {"sha256", textOrNull(file.sha256)},
                         {"bytes", file.bytes},
                         {"lines", file.lines},
                         {"lines_read", file.linesRead}});
    for (const RunPreview& run : log.runs)
        runs.push_back(jsonOf(log, run));
    for (const imports::LinkPreview& link : log.links)
        links.push_back(linkJson(log, link));
    for (const imports::Note& note : notesOf(log))
        findings.push_back({{"severity", nameOf(note.gravity)},
                            {"file", textOrNull(note.file)},
                            {"line", note.line > 0 ? Json(note.line) : Json(nullptr)},
                            {"code", note.code},
                            {"text", note.text()}});
    const logs::LogFormat* format = log.log.format;
    return {{"format", format ? Json(format->name) : Json(nullptr)},
            {"title", format ? Json(format->title) : Json(nullptr)},
            {"versions", textOrNull(imports::versionsOf(log))},
            {"files", std::move(files)},
            {"runs", std::move(runs)},
            {"links", std::move(links)},
            {"findings", std::move(findings)}};
}

std::string numberText(const std::optional<double>& number)
{
    return number ? fmt::format("{:.5g}", *number) : "–";
}

/// "MXNet >=1.3, <2".
std::string formText(const LogPreview& log)
{
    const std::string versions = imports::versionsOf(log);
    return log.log.format->title + (versions.empty() ? "" : " " + versions);
}

std::vector<std::string> rowOf(const LogPreview& log, const RunPreview& run)
{
    const logs::LogRun& read = log.log.runs[run.run];
    const auto& figure = run.figure;
    const auto rate = figure.itemsPerSecond ? figure.itemsPerSecond : figure.perLane;
    return {nameOf(log) + (log.log.files.size() > 1 ? fmt::format(" and {} more", log.log.files.size() - 1) : ""),
            formText(log),
            fmt::format("{}–{}", read.firstLine, read.lastLine),
            figure.ranks > 0 ? std::to_string(figure.ranks) : "–",
            std::to_string(figure.records),
            std::to_string(figure.leftOut),
            numberText(rate),
            rate ? scopeText(run) : "",
            numberText(run.overTime),
            numberText(figure.firstLoss),
            numberText(figure.lastLoss)};
}

/// Below the table, where a run has any.
void printSummaries(const LogPreview& log)
{
    for (const RunPreview& run : log.runs)
        for (const logs::LogClaim& summary : summariesOf(log, run))
            printText("{}:{}: {}\n", plainText(nameIn(log, log.log.files[summary.file])), summary.line,
                      imports::summaryText(summary));
}

void printPreviews(const imports::Previews& previews)
{
    std::vector<std::vector<std::string>> rows;
    for (const LogPreview& log : previews.logs)
        for (const RunPreview& run : log.runs)
            rows.push_back(rowOf(log, run));
    if (!rows.empty())
        printTable({{"Log"},
                    {"Format"},
                    {"Lines"},
                    {"Ranks", true},
                    {"Records", true},
                    {"Warm-up", true},
                    {"Items/s", true},
                    {"Whose"},
                    {"Over time", true},
                    {"First loss", true},
                    {"Last", true}},
                   rows);
    std::ranges::for_each(previews.logs, printSummaries);
    printLinks(previews);
    for (const LogPreview& log : previews.logs)
        for (const imports::Note& note : notesOf(log)) {
            const std::string file = note.file.empty() ? nameOf(log) : plainText(note.file);
            printText("{}: {}{}: {}\n", nameOf(note.gravity), file, note.line > 0 ? fmt::format(":{}", note.line) : "",
                      note.text());
        }
    if (previews.passedOver > 0)
        printText("{}\n", Words::counted("{} files are not logs and were skipped.",
                                         "{} file is not a log and was skipped.", previews.passedOver));
    for (const Error& why : previews.unreadable)
        printText("{}: {} It was skipped.\n", nameOf(imports::Gravity::warn), why.message);
    for (const std::string& refusal : adapters::usersAdapters().refusals())
        printText("{}: {} No log of this system is recognised.\n", nameOf(imports::Gravity::warn), refusal);
}

void printQuestions(const imports::Previews& previews)
{
    for (const std::string& key : missingIn(previews.logs)) {
        const imports::Question question = imports::questionFor(key);
        sayError("Missing: --set {}={}  {}", key, key == imports::kEqualRanks ? "yes" : "…", question.sentence);
    }
}

Exit explain(const Context& context, const std::string& line, const std::vector<logs::LogFormat>& formats)
{
    const imports::LineExplained explained = imports::explainLine(line, formats);
    if (context.json) {
        Json readings = Json::array();
        for (const imports::LineReading& reading : explained.readings) {
            Json fields = Json::object();
            for (const imports::FieldReading& field : reading.fields)
                fields[std::string(field.name)] = orNull(field.value);
            readings.push_back({{"format", reading.format->name},
                                {"pattern", reading.form->pattern.text()},
                                {"meaning", nameOf(reading.form->meaning)},
                                {"scope", nameOf(reading.form->scope)},
                                {"fields", std::move(fields)}});
        }
        print(
            Json{{"rank", explained.rank ? Json(*explained.rank) : Json(nullptr)}, {"readings", std::move(readings)}});
        return Exit::done;
    }
    if (explained.rank)
        printText("Its tag says that it is a line of rank {}.\n", *explained.rank);
    if (explained.isRow)
        printText("It may be a row of a table of links, which can be read only with the titles above it.\n");
    else if (explained.readings.empty())
        printText("No form has such a line.\n");
    for (const imports::LineReading& reading : explained.readings) {
        printText("{} ({}): {}\n  {}\n", reading.format->title, reading.format->name,
                  imports::subjectText(*reading.form), reading.form->pattern.text());
        const auto rows = mapped(reading.fields, [](const imports::FieldReading& field) {
            return std::vector<std::string>{std::string(field.name), fmt::format("{:.6g}", field.value),
                                            std::string(field.description)};
        });
        printTable({{"  Field"}, {"Value", true}, {"What it is"}}, mapped(rows, [](std::vector<std::string> row) {
                       row.front().insert(0, 2, ' ');
                       return row;
                   }));
    }
    return Exit::done;
}

/// A log that cannot be read prevents storing any of them.
std::optional<Exit> unreadableLog(const imports::Previews& previews)
{
    if (previews.logs.empty())
        return report({ErrorCode::damaged, "There is no log among these files.",
                       "“--line TEXT” says what each form makes of a line."});
    for (const LogPreview& log : previews.logs)
        for (const imports::Note& note : notesOf(log))
            if (note.gravity == imports::Gravity::block && !isWithoutRate(log))
                return report(
                    {ErrorCode::damaged, fmt::format("{}: {}", nameOf(log), note.text()),
                     "Leave it out, or name its form with --as; “--line TEXT” says what each makes of a line."});
    return std::nullopt;
}

void printLeftOut(const std::vector<std::string>& texts)
{
    std::ranges::for_each(texts, sayErrorLine);
}

/// Logs without a rate that can be used are left out, but one log has to be there.
std::optional<Exit> nothingUsable(const imports::Previews& previews)
{
    if (std::ranges::any_of(previews.logs, imports::isUsable))
        return std::nullopt;
    printLeftOut(leftOutOf(previews.logs));
    return report({ErrorCode::damaged, "None of these logs has a rate or a table that can be used.",
                   "Nothing was stored. --as names another form; “--line TEXT” says what each makes of a line."});
}

/// The obstacle to storing all of it; nothing: it can be stored.
std::optional<Exit> refusal(const imports::Previews& previews)
{
    if (const auto unreadable = unreadableLog(previews))
        return unreadable;
    if (const auto nothing = nothingUsable(previews))
        return nothing;
    if (missingIn(previews.logs).empty())
        return std::nullopt;
    printQuestions(previews);
    return report({ErrorCode::usage, "The logs do not contain all that is needed.", "Add it with --set, as above."});
}

/// Reports what fails, and no more: the runs are stored, and the next program that writes there tries again.
void summarise(store::Database& db)
{
    const auto refreshed = store::refreshSummaries(db, report);
    if (!refreshed)
        report(refreshed.error());
}

Result<imports::Imported> store(const Context& context, const imports::Import& import)
{
    TRY_ASSIGN(const fs::path path, storePath(context));
    TRY_ASSIGN(store::Database db, store::Database::openForWriting(path).map_error(unwritable));
    TRY_ASSIGN(imports::Imported imported, imports::storeImport(db, import));
    summarise(db);
    return imported;
}

/// Looks for obstacles to storing. A store that is not there has no logs.
Exit lookAhead(const Context& context, const imports::Import& import)
{
    const imports::Previews& previews = import.previews;
    printQuestions(previews);
    std::optional<store::Database> db;
    if (const auto there = requireStore(context); there || there.error().code != ErrorCode::notFound) {
        TRY_OR_EXIT(db, openStore(context));
        TRY_OR_EXIT(const std::vector<Error> known, importedBefore(*db, previews));
        for (const Error& why : known)
            sayErrorLine(why.message);
    }
    if (const auto checked = imports::checkTarget(db ? &*db : nullptr, import.experiment); !checked)
        return report(checked.error());
    if (const auto unreadable = unreadableLog(previews))
        return *unreadable;
    if (const auto nothing = nothingUsable(previews))
        return *nothing;
    printLeftOut(leftOutOf(previews.logs));
    return Exit::done;
}

/// One option --set has one value: what follows it is a file.
std::optional<Error> misplacedAnswer(const ImportOptions& options)
{
    for (const std::string& file : options.files)
        if (std::error_code none; imports::looksLikeAnswer(file) && !fs::exists(file, none))
            return Error{ErrorCode::usage, fmt::format("There is no file {}.", plainText(file)),
                         "Write --set before it."};
    return std::nullopt;
}

} // namespace

Exit importLogs(const Context& context, const ImportOptions& options)
{
    const std::vector<logs::LogFormat>& formats = adapters::usersLogFormats();
    if (options.line)
        return explain(context, *options.line, formats);
    imports::PreviewRequest request{.paths = {options.files.begin(), options.files.end()}, .as = options.as};
    for (const std::string& text : options.set)
        if (const auto added = addAnswer(request.answers, text); !added)
            return report(added.error());
    imports::Import import;
    import.experiment = options.experiment;
    if (const auto misplaced = misplacedAnswer(options))
        return report(*misplaced);
    TRY_OR_EXIT(import.previews, previewLogs(request, formats).map_error(unreadable));
    Json json = {{"files", mapped(import.previews.logs, [](const LogPreview& log) { return jsonOf(log); })},
                 {"passed_over", import.previews.passedOver},
                 {"unreadable", mapped(import.previews.unreadable, &Error::message)},
                 {"left_out", leftOutOf(import.previews.logs)},
                 {"refused_tables", adapters::usersAdapters().refusals()}};
    context.json ? void() : printPreviews(import.previews);
    const auto end = [&](Exit exit) {
        if (context.json)
            print(json);
        return exit;
    };
    if (options.dryRun)
        return end(lookAhead(context, import));
    if (const auto refused = refusal(import.previews))
        return end(*refused);
    const auto imported = store(context, import);
    if (!imported)
        return end(report(imported.error()));
    json["experiment"] = imported->experiment;
    json["imported"] = imported->numbers;
    json["left_out"] = imported->leftOut;
    printLeftOut(imported->leftOut);
    if (!context.json)
        printText("Imported into “{}”: {}\n", imported->experiment,
                  joined(imported->numbers, ", ", [](int number) { return fmt::format("run {}", number); }));
    return end(Exit::done);
}

} // namespace ringside::cli
