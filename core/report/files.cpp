// SPDX-License-Identifier: MIT
#include "core/report/files.h"

#include "core/report/differences.h"

#include "core/base/text.h"
#include "core/report/items.h"
#include "core/stats/best.h"
#include "core/stats/throughput.h"

#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace ringside::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProvenanceFormat = 1;

std::string escaped(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

/// Shortest text that reads back as the same number.
std::string number(double value)
{
    return fmt::format("{}", value);
}
std::string number(const std::optional<double>& value)
{
    return value ? number(*value) : "";
}

std::string line(const std::vector<std::string>& fields)
{
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += (i == 0 ? "" : ",") + escaped(fields[i]);
    return text + "\r\n";
}

using Named = std::vector<std::pair<std::string, std::string>>;
using Fields = std::vector<std::string>;

void addNames(Fields& header, const Named& named)
{
    for (const auto& [name, text] : named)
        header.push_back(name);
}

void addTexts(Fields& fields, const Named& named)
{
    for (const auto& [name, text] : named)
        fields.push_back(text);
}

/// The first point or stack; nullptr: nothing is drawn. All have the same names.
template <class Mark> const Mark* firstOf(const FigureData& figure)
{
    for (const Panel& panel : figure.panels) {
        if constexpr (std::is_same_v<Mark, Stack>) {
            if (!panel.stacks.empty())
                return &panel.stacks.front();
        } else {
            for (const Series& series : panel.series)
                if (!series.points.empty())
                    return &series.points.front();
        }
    }
    return nullptr;
}

void add(Fields& fields, std::initializer_list<std::string> more)
{
    fields.insert(fields.end(), more);
}

Fields pointHeader(const FigureData& figure)
{
    const Point* first = firstOf<Point>(figure);
    Fields header;
    addNames(header, first ? first->origin.factors : Named());
    add(header, {std::string(nameOf(figure.show)), "low", "high", "unit", "n", "failed", "disturbed", "base_case"});
    add(header, {"of_fastest", "of_fastest_low", "of_fastest_high", "p", "verdict", "differs_from_fastest"});
    addNames(header, first ? first->origin.conditions : Named());
    return header;
}

/// Shares are 0 to 1 in files; an axis has per cent.
Fields pointFields(const FigureData& figure, const Point& point)
{
    const double scale = figure.show == Show::efficiency ? 100 : 1;
    const auto scaled = [&](std::optional<double> value) { return value ? number(*value / scale) : std::string(); };
    Fields fields;
    addTexts(fields, point.origin.factors);
    add(fields, {scaled(point.y), scaled(point.low), scaled(point.high), figure.unit, std::to_string(point.n),
                 std::to_string(point.failed), std::to_string(point.disturbed), point.isBase ? "1" : "0"});
    const std::optional<AgainstBest>& against = point.againstBest;
    add(fields,
        {against ? number(against->ratio) : "", against ? number(against->low) : "",
         against ? number(against->high) : "", against ? number(against->p) : "",
         against ? std::string(nameOf(against->verdict)) : "", against ? differingNames(against->differs) : ""});
    addTexts(fields, point.origin.conditions);
    return fields;
}

std::string pointsCsv(const FigureData& figure)
{
    std::string csv = line(pointHeader(figure));
    for (const Panel& panel : figure.panels)
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                csv += line(pointFields(figure, point));
    return csv;
}

Fields stackHeader(const FigureData& figure)
{
    const Stack* first = firstOf<Stack>(figure);
    Fields header;
    addNames(header, first ? first->origin.factors : Named());
    for (const Phase phase : kPhases)
        header.push_back(std::string(nameOf(phase)) + "_ms");
    add(header, {"total_ms", "lowest_ms", "highest_ms", "comm_hidden_ms", "read_ms", "decode_ms"});
    add(header, {"n", "failed", "disturbed"});
    addNames(header, first ? first->origin.conditions : Named());
    return header;
}

Fields stackFields(const Stack& stack)
{
    Fields fields;
    addTexts(fields, stack.origin.factors);
    for (const double ms : stack.phases)
        fields.push_back(number(ms));
    for (const double ms : {stack.total, stack.low, stack.high, stack.hiddenCommunication, stack.read, stack.decode})
        fields.push_back(number(ms));
    for (const int count : {stack.n, stack.failed, stack.disturbed})
        fields.push_back(std::to_string(count));
    addTexts(fields, stack.origin.conditions);
    return fields;
}

std::string stacksCsv(const FigureData& figure)
{
    std::string csv = line(stackHeader(figure));
    for (const Panel& panel : figure.panels)
        for (const Stack& stack : panel.stacks)
            csv += line(stackFields(stack));
    return csv;
}

std::string lanesCsv(const FigureData& figure)
{
    std::string csv = line({"rank", "host", "activity", "name", "start_ms", "length_ms", "ready_ms", "bytes"});
    for (const Panel& panel : figure.panels)
        for (const Lane& lane : panel.lanes)
            for (const auto* bars : {&lane.phases, &lane.layers, &lane.communication})
                for (const Bar& bar : *bars)
                    csv += line({std::to_string(lane.rank), lane.host, std::string(nameOf(bar.activity)), bar.name,
                                 number(bar.start), number(bar.length), number(bar.ready),
                                 bar.bytes ? std::to_string(*bar.bytes) : ""});
    return csv;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ";") + word;
    return text;
}

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
    return {row.id.str(),
            std::to_string(row.number),
            row.experiment,
            std::to_string(row.repeat),
            std::to_string(row.attempt),
            std::string(nameOf(row.kind)),
            std::string(nameOf(row.state)),
            row.reason.value_or(""),
            joined(row.flags),
            row.inMatrix ? "1" : "0",
            std::to_string(row.samples),
            number(row.itemsPerSecond)};
}

std::vector<std::string> conditionFields(const store::MeasuredRun& run)
{
    const stats::Window window = windowOf(run);
    return {std::to_string(window.warmup),
            std::to_string(window.iterations),
            number(window.seconds),
            run.facts.processor,
            run.facts.torch,
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
            {"phases", "mean over steady iterations, then ranks, then runs"}};
}

} // namespace

std::string figureCsv(const FigureData& figure)
{
    if (figure.show == Show::timeline)
        return lanesCsv(figure);
    return figure.show == Show::phases ? stacksCsv(figure) : pointsCsv(figure);
}

std::string runsCsv(const std::vector<store::MeasuredRun>& runs)
{
    const std::set<std::string> keys = settingKeys(runs);
    std::vector<std::string> header = {"id",    "number", "experiment", "repeat",    "attempt", "kind",
                                       "state", "reason", "flags",      "in_matrix", "samples", "images_per_second"};
    add(header, {"warmup", "measured_iterations", "measured_s", "processor", "torch", "network"});
    header.insert(header.end(), keys.begin(), keys.end());
    std::string csv = line(header);
    for (const store::MeasuredRun& run : runs) {
        std::vector<std::string> fields = runFields(run.row);
        for (std::string& field : conditionFields(run))
            fields.push_back(std::move(field));
        for (const std::string& key : keys) {
            const auto found = run.row.settings->find(key);
            fields.push_back(found == run.row.settings->end() ? "" : toText(found->second));
        }
        csv += line(fields);
    }
    return csv;
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
