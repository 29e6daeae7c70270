// SPDX-License-Identifier: MIT
#include "core/base/sequences.h"
#include "core/report/comparedkind.h"
#include "core/report/comparison.h"
#include "core/report/differences.h"
#include "core/stats/quantile.h"

#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

// Ordered, so that the phases add up to the value in the order in which a reader meets them.
using Json = nlohmann::ordered_json;

constexpr int kComparisonFormat = 1;

Json toJson(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json toJson(const ByUtilised<Measure>& utilisation)
{
    Json json = Json::object();
    for (const Utilised what : kUtilised) {
        const Measure& measure = utilisation.of(what);
        json[std::string(nameOf(what))] = {
            {"value", toJson(measure.value)}, {"low", toJson(measure.low)}, {"high", toJson(measure.high)}};
    }
    return json;
}

Json toJson(const BaseCase& base)
{
    return {{"factors", ringside::toJson(base.settings)}, {"n", base.n}, {"value", toJson(base.throughput.value)}};
}

Json toJson(const std::optional<AgainstBest>& standing)
{
    if (!standing)
        return nullptr;
    return {{"ratio", standing->ratio},
            {"low", toJson(standing->low)},
            {"high", toJson(standing->high)},
            {"p", toJson(standing->p)},
            {"verdict", nameOf(standing->verdict)},
            {"differs", differencesToJson(standing->differs)}};
}

/// Factor to the levels that are not shown.
Json toJson(const std::map<std::string, std::vector<Value>>& leftOut)
{
    Json json = Json::object();
    for (const auto& [factor, levels] : leftOut) {
        json[factor] = Json::array();
        for (const Value& level : levels)
            json[factor].push_back(Json(ringside::toJson(level)));
    }
    return json;
}

/// Medians over the runs in n.
Json windowToJson(const std::vector<stats::Window>& windows)
{
    const auto median = [&](auto member) {
        std::vector<double> values;
        for (const stats::Window& window : windows)
            values.push_back(static_cast<double>(window.*member));
        return values.empty() ? Json(nullptr) : Json(stats::median(values));
    };
    return {{"warmup", median(&stats::Window::warmup)},
            {"iterations", median(&stats::Window::iterations)},
            {"seconds", median(&stats::Window::seconds)}};
}

Json toJson(const IntervalKind& interval)
{
    return {{"kind", interval.name}, {"level", toJson(interval.level)}};
}

void addCounts(Json& json, const Group& group)
{
    json["failed"] = group.failed;
    json["disturbed"] = group.disturbed;
    json["flags"] = group.flags;
    json["left_out"] = group.leftOut;
}

Json toJson(const Group& group, const ComparedKind& kind, bool disturbedLeftOut)
{
    const Measure measure = kind.measureOf(group);
    Json json = {{"factors", ringside::toJson(group.settings)}, {"n", group.n()}};
    json["value"] = toJson(measure.value);
    json["low"] = toJson(measure.low);
    json["high"] = toJson(measure.high);
    addCounts(json, group);
    if (group.otherwise)
        json[disturbedLeftOut ? "with_disturbed" : "without_disturbed"] = {
            {"n", group.otherwise->n}, {"value", toJson(group.otherwise->measure.value)}};
    json["against_best"] = toJson(group.againstBest);
    json["base"] = group.base ? Json(*group.base) : Json(nullptr);
    json["differs"] = differencesToJson(group.differs);
    json["facts"] = group.facts;
    const auto told = [](int count) { return count ? Json(count) : Json(nullptr); };
    json["used"] = {{"processes", told(group.used.processes)},
                    {"nodes", told(group.used.nodes)},
                    {"cores", told(group.used.cores)}};
    json["efficiency_per_node"] = toJson(group.efficiencyPerNode.value);
    json["utilisation"] = toJson(group.utilisation);
    json["window"] = windowToJson(group.windows);
    json["runs"] = mapped<Json>(group.runs, [&](const RunId& run) { return run.str(); });
    kind.addTo(json, group);
    return json;
}

/// Ratios depend on their base cases, which need not be among the groups.
void addCountsOfBases(Json& cases, const Comparison& comparison)
{
    for (const std::vector<Group>* groups : {&comparison.groups, &comparison.basesOut})
        for (const Group& group : *groups)
            if (group.isBase)
                addCounts(cases.at(*group.base), group);
}

} // namespace

std::string comparisonToJson(const Comparison& comparison)
{
    Json json = {
        {"format", kComparisonFormat},
        {"show", comparison.kind->name()},
        {"unit", comparison.kind->unitOf(comparison)},
        {"interval", toJson(comparison.kind->interval())},
        {"scaling", comparison.scaling == spec::Scaling::none ? Json(nullptr) : Json(nameOf(comparison.scaling))},
        {"compared_factor", comparison.comparedFactor.empty() ? Json(nullptr) : Json(comparison.comparedFactor)},
        {"disturbed_left_out", comparison.disturbedLeftOut},
        {"nan_kept", comparison.nanKept},
        {"left_out", toJson(comparison.leftOut)},
        {"base", {{"where", ringside::toJson(comparison.where)}, {"cases", Json::array()}}},
        {"groups", Json::array()}};
    if (comparison.noOtherwise)
        json[comparison.disturbedLeftOut ? "with_disturbed" : "without_disturbed"] = {
            {"value", nullptr}, {"reason", *comparison.noOtherwise}};
    if (comparison.noSpeedup)
        json["base"]["refused"] = *comparison.noSpeedup;
    for (const BaseCase& base : comparison.cases)
        json["base"]["cases"].push_back(toJson(base));
    addCountsOfBases(json["base"]["cases"], comparison);
    for (const Group& group : comparison.groups)
        json["groups"].push_back(toJson(group, *comparison.kind, comparison.disturbedLeftOut));
    return json.dump(2);
}

} // namespace ringside::report
