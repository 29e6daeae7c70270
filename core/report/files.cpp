// SPDX-License-Identifier: MIT
#include "core/report/files.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/report/csv.h"
#include "core/report/items.h"
#include "core/stats/best.h"
#include "core/stats/throughput.h"

#include <nlohmann/json.hpp>
#include <set>

namespace ringside::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProvenanceFormat = 1;

std::set<std::string> settingKeys(const std::vector<store::MeasuredRun>& runs)
{
    std::set<std::string> keys;
    for (const store::MeasuredRun& run : runs)
        for (const auto& [key, value] : *run.row.settings)
            keys.insert(key);
    return keys;
}

std::vector<std::string> runFields(const store::RunRow& row)
{
    const Reason reason = row.reason.value_or(Reason());
    return {row.id.str(),
            std::to_string(row.number),
            row.experiment,
            std::to_string(row.repeat),
            std::to_string(row.attempt),
            std::string(nameOf(row.kind)),
            std::string(nameOf(row.state)),
            jobs::sentenceOf(reason),
            reason.code,
            joined(row.flags, ";"),
            row.inMatrix ? "1" : "0",
            std::to_string(row.samples),
            csv::number(row.itemsPerSecond),
            std::string(itemWords(itemsOf(row.settings)).items)};
}

std::vector<std::string> conditionFields(const store::MeasuredRun& run)
{
    const stats::Window window = windowOf(run);
    const Utilisation utilisation = utilisationOf(run.ranks);
    return {std::to_string(window.warmup),
            std::to_string(window.iterations),
            csv::number(window.seconds),
            csv::number(utilisation.of(Utilised::cpu)),
            csv::number(utilisation.of(Utilised::gpu)),
            run.facts.processor,
            run.facts.torch,
            run.facts.system,
            run.facts.network};
}

Json runToJson(const store::RunRow& row)
{
    Json json = {{"id", row.id.str()},         {"number", row.number},       {"attempt", row.attempt},
                 {"repeat", row.repeat},       {"state", nameOf(row.state)}, {"flags", row.flags},
                 {"since", isoTime(row.since)}};
    json["items"] = itemWords(itemsOf(row.settings)).items;
    json["images_per_second"] = row.itemsPerSecond ? Json(*row.itemsPerSecond) : Json(nullptr);
    json["factors"] = toJson(row.settings);
    return json;
}

Json statisticsJson()
{
    return {{"run_throughput", "items of all ranks over the longest rank's time, warm-up excluded"},
            {"summary", "median over runs"},
            {"interval", "95 %: exact rank interval of the median; percentile bootstrap of the ratio of medians, over "
                         "all resamples"},
            {"least_runs_for_interval", stats::kLeastRuns},
            {"against_best", "multiple comparisons with the best: step-down permutation test of the greatest "
                             "studentised difference, at 5 % for a whole table"},
            {"permutations", stats::kLeastPermutations},
            {"most_permutations", stats::kMostPermutations},
            {"phases", "mean over steady iterations, then ranks, then runs"},
            {"utilisation", "mean over the time measured, then ranks; median over runs"}};
}

} // namespace

std::string figureCsv(const FigureData& figure)
{
    return std::visit([&](const auto& drawing) { return drawing.csv(figure); }, figure.drawing);
}

std::string runsCsv(const std::vector<store::MeasuredRun>& runs)
{
    const Words::InEnglish english;
    const std::set<std::string> keys = settingKeys(runs);
    csv::Fields header = {
        "id",          "number", "experiment", "repeat",  "attempt",           "kind", "state", "reason",
        "reason_code", "flags",  "in_matrix",  "samples", "images_per_second", "items"};
    csv::add(header, {"warmup", "measured_iterations", "measured_s", fieldOf(Utilised::cpu), fieldOf(Utilised::gpu)});
    csv::add(header, {"processor", "torch", "system", "network"});
    header.insert(header.end(), keys.begin(), keys.end());
    std::string text = csv::line(header);
    for (const store::MeasuredRun& run : runs) {
        std::vector<std::string> fields = runFields(run.row);
        for (std::string& field : conditionFields(run))
            fields.push_back(std::move(field));
        for (const std::string& key : keys) {
            const Value* value = valueOf(run.row.settings, key);
            fields.push_back(value ? toText(*value) : "");
        }
        text += csv::line(fields);
    }
    return text;
}

std::string provenanceJson(const Comparison& comparison, const FigureData& figure,
                           const std::vector<store::MeasuredRun>& runs)
{
    Json json = {{"format", kProvenanceFormat},
                 {"ringside", RINGSIDE_VERSION},
                 {"experiment", comparison.experiment},
                 {"title", figure.title},
                 {"caption", figure.caption},
                 {"notes", figure.notes},
                 {"statistics", statisticsJson()},
                 {"comparison", Json::parse(comparisonToJson(comparison))},
                 {"runs", Json::array()}};
    for (const store::MeasuredRun& run : runs)
        json["runs"].push_back(runToJson(run.row));
    return json.dump(2);
}

} // namespace ringside::report
