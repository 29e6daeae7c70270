// SPDX-License-Identifier: GPL-3.0-or-later
// runs, show: read only, safe beside a window that writes.
#include "app/cli/commands.h"
#include "core/base/sequences.h"

#include "app/cli/findrun.h"
#include "app/cli/json.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "core/base/text.h"
#include "core/imports/note.h"
#include "core/jobs/programs/table.h"
#include "core/protocol/layout.h"
#include "core/report/items.h"
#include "core/report/numbers.h"
#include "core/sites/sitebook.h"
#include "core/spec/planparts.h"
#include "core/spec/systems.h"
#include "core/store/canaries.h"
#include "core/store/flagreasons.h"
#include "core/store/gemmrate.h"
#include "core/store/imports.h"
#include "core/store/queries.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>

namespace ringside::cli {

namespace {

/// As figures and comparisons mark a run.
std::string marksOf(const store::RunRow& run)
{
    std::vector<std::string> marks = run.flags;
    if (run.kind == RunKind::imported)
        marks.insert(marks.begin(), "imported");
    return joined(marks, ", ");
}

void print(const std::vector<store::RunRow>& runs)
{
    const RunNames names(runs);
    std::vector<std::vector<std::string>> rows;
    for (const store::RunRow& run : runs)
        rows.push_back({std::to_string(run.number), plainText(run.experiment), names.configuration(run),
                        std::to_string(run.repeat), stateText(run),
                        run.itemsPerSecond ? report::formatShort(*run.itemsPerSecond) : "–", marksOf(run)});
    const report::Items items = report::itemsOfAll(runs, &store::RunRow::settings);
    printTable({{"Run", true},
                {"Experiment"},
                {"Configuration"},
                {"Repeat", true},
                {"State"},
                {report::itemWords(items).perSecond, true},
                {"Flags"}},
               rows);
}

/// The paths of logs on another site, by its description; not looked up there. Empty if the site is not described any
/// more.
std::set<std::string> logsThere(const store::RunRow& run, const store::AttemptRow& attempt)
{
    const auto book = SiteBook::ofUser();
    const auto site = book ? book->find(run.site) : tl::unexpected(book.error());
    if (!site)
        return {};
    const fs::path given = site->root;
    const bool isBelowHome = given.is_relative() && !site->root.starts_with('~');
    const fs::path folder = layout::attemptFolder(isBelowHome ? "~" / given : given, run.id, attempt.attempt);
    std::set<std::string> paths{layout::attemptLog(folder).string()};
    for (const store::RankSummary& rank : attempt.ranks)
        paths.insert(layout::rankLog(folder, rank.rank).string());
    return paths;
}

/// Returns the paths of the logs of an attempt: the runner's own and one per rank.
Json logsOf(const store::RunRow& run, const store::AttemptRow& attempt)
{
    if (run.site != spec::kLocalSite)
        return logsThere(run, attempt);
    std::set<std::string> paths;
    std::error_code ignored;
    if (const auto root = dataFolder())
        for (const auto& file : fs::directory_iterator(layout::attemptFolder(*root, run.id, attempt.attempt), ignored))
            if (file.path().extension() == ".log")
                paths.insert(file.path().string());
    return paths;
}

Result<Json> canariesOf(const store::Database& db, const RunId& run, int attempt)
{
    TRY_ASSIGN(const auto canaries, store::canaries(db, run, attempt));
    Json json = Json::array();
    for (const auto& [rank, canary] : canaries) {
        const auto read = canary.readBytesPerSecond;
        const auto allReduceNs = canary.allReduceNs;
        json.push_back({{"rank", rank},
                        {"when", canary.after ? "after" : "before"},
                        {"read_bytes_per_second", read ? Json(read) : Json(nullptr)},
                        {"all_reduce_ms", allReduceNs ? Json(static_cast<double>(allReduceNs) / 1e6) : Json(nullptr)}});
    }
    return json;
}

/// Returns why it bears its flags: codes and values as in the database, and a sentence for each.
Result<Json> reasonsOf(const store::Database& db, const RunId& run, int attempt)
{
    TRY_ASSIGN(const std::vector<store::FlagReason> reasons, store::flagReasons(db, run, attempt));
    const Json json = mapped<Json>(reasons, [&](const store::FlagReason& reason) { return toJson(reason); });
    return json;
}

/// The plan as it was launched, as “plans” has the built-in ones; null for a calibration, which has none.
Result<Json> planJson(const store::Database& db, const store::RunRow& run)
{
    TRY_ASSIGN(const std::optional<AggregationPlan> plan, store::planOf(db, run));
    if (!plan || !jobs::programOf(run.settings).trains())
        return Json(nullptr);
    if (plan->name == spec::kOwnPlan)
        return Json{{"name", plan->name},
                    {"design", spec::designOf(run.settings)},
                    {"composition", Words::tr("The system aggregates in its own way.")}};
    return Json{{"name", plan->name},
                {"parts", partsOf(*plan)},
                {"composition", spec::sentenceOf(*plan)},
                {"exact", plan->isExact()}};
}

/// The cost of an image or a sequence in the latest attempt, and its throughput in operations, also as a share of the
/// measured rate of the cores or GPUs; null where nothing was counted, or not measured.
void addWork(Json& json, const store::RunRow& run, const std::optional<Facts>& facts, std::optional<double> gemmRate)
{
    const std::optional<double> flops = facts ? flopsPerImage(*facts) : std::nullopt;
    const double rate = flops.value_or(0) * run.itemsPerSecond.value_or(0); // 0: not known
    json["flops_per_image"] = flops ? Json(*flops) : Json(nullptr);
    json["gflop_per_second"] = rate > 0 ? Json(rate / 1e9) : Json(nullptr);
    json["percent_of_gemm_rate"] = rate > 0 && gemmRate ? Json(100 * rate / *gemmRate) : Json(nullptr);
}

} // namespace

Exit listRuns(const Context& context, const ListOptions& options)
{
    TRY_OR_EXIT(const store::Database db, openStore(context));
    store::RunFilter filter;
    if (!options.experiment.empty())
        filter.experiment = options.experiment;
    TRY_OR_EXIT(const std::vector<store::RunRow> rows, store::runs(db, filter));
    if (!context.json) {
        print(rows);
        return Exit::done;
    }
    const Json json = mapped<Json>(rows, [&](const store::RunRow& run) { return toJson(run); });
    print(json);
    return Exit::done;
}

namespace {

/// The files that an imported run was read from; null of every other.
Result<Json> sourcesOf(const store::Database& db, const RunId& run)
{
    TRY_ASSIGN(const std::vector<store::ImportedFile> files, store::importedFiles(db, run));
    Json json = Json::array();
    for (const store::ImportedFile& file : files) {
        Json notes = mapped<Json>(file.notes, [](const store::ImportNote& note) {
            return Json{{"severity", note.severity},
                        {"file", textOrNull(note.file)},
                        {"line", note.line > 0 ? Json(note.line) : Json(nullptr)},
                        {"code", textOrNull(note.code)},
                        {"text", imports::sentenceOf(note)}};
        });
        json.push_back({{"path", file.path},
                        {"rank", file.rank ? Json(*file.rank) : Json(nullptr)},
                        {"sha256", file.sha256},
                        {"bytes", file.bytes},
                        {"lines", file.lines},
                        {"lines_read", file.linesRead},
                        {"format", file.format},
                        {"title", file.title},
                        {"versions", file.versions},
                        {"read_by", file.readBy},
                        {"findings", std::move(notes)}});
    }
    return json.empty() ? Json(nullptr) : Json(std::move(json));
}

} // namespace

Exit show(const Context& context, const std::string& text)
{
    TRY_OR_EXIT(const store::Database db, openStore(context));
    TRY_OR_EXIT(const store::RunRow run, findRun(context, db, text));
    TRY_OR_EXIT(const std::vector<store::AttemptRow> attempts, store::attempts(db, run.id));
    TRY_OR_EXIT(const std::optional<double> gemmRate, store::gemmRate(db, run));
    Json json = toJson(run);
    TRY_OR_EXIT(json["plan"], planJson(db, run));
    addWork(json, run, std::nullopt, gemmRate);
    TRY_OR_EXIT(json["imported_from"], sourcesOf(db, run.id));
    json["attempts"] = Json::array();
    for (const store::AttemptRow& attempt : attempts) {
        Json entry = toJson(attempt, run);
        entry["logs"] = logsOf(run, attempt);
        TRY_OR_EXIT(const std::optional<Facts> facts, store::facts(db, run.id, attempt.attempt));
        entry["facts"] = facts ? Json::parse(factsToJson(*facts)) : Json(nullptr);
        TRY_OR_EXIT(entry["canaries"], canariesOf(db, run.id, attempt.attempt));
        TRY_OR_EXIT(entry["flag_reasons"], reasonsOf(db, run.id, attempt.attempt));
        if (attempt.attempt == run.attempt)
            addWork(json, run, facts, gemmRate);
        json["attempts"].push_back(std::move(entry));
    }
    print(json); // the one form there is: it reads well enough, and a shortened one would hide something
    return Exit::done;
}

} // namespace ringside::cli
