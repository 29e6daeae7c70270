// SPDX-License-Identifier: MIT
#include "core/report/comparison.h"

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

Json toJson(const BaseCase& base)
{
    return {{"factors", ringside::toJson(base.factors)}, {"n", base.n}, {"value", toJson(base.throughput.value)}};
}

Json phasesToJson(const stats::PhaseMeans& phases)
{
    Json json = Json::object();
    for (const Phase phase : kPhases)
        json[std::string(nameOf(phase))] = phases[static_cast<std::size_t>(phase)];
    return json;
}

/// What goes on beside the phases, and is no part of their sum.
Json backgroundToJson(const stats::MeanIteration& iteration)
{
    return {{"comm_total", iteration.communication}, {"read", iteration.read}, {"decode", iteration.decode}};
}

Json toJson(const Group& group, Show show, bool disturbedLeftOut)
{
    const Measure measure = measureOf(group, show);
    Json json = {{"factors", ringside::toJson(group.factors)}, {"n", group.n()}};
    json["value"] = toJson(measure.value);
    json["low"] = toJson(measure.low);
    json["high"] = toJson(measure.high);
    json["failed"] = group.failed;
    json["disturbed"] = group.disturbed;
    json["flags"] = group.flags;
    if (group.otherwise)
        json[disturbedLeftOut ? "with_disturbed" : "without_disturbed"] = {
            {"n", group.otherwise->n}, {"value", toJson(group.otherwise->measure.value)}};
    json["runs"] = Json::array();
    for (const RunId& run : group.runs)
        json["runs"].push_back(run.str());
    if (show == Show::phases) {
        json["phases"] = phasesToJson(group.iteration.phases);
        json["background"] = backgroundToJson(group.iteration);
    }
    return json;
}

} // namespace

std::string comparisonToJson(const Comparison& comparison)
{
    Json json = {{"format", kComparisonFormat},
                 {"show", nameOf(comparison.show)},
                 {"unit", unitOf(comparison)},
                 {"base", {{"where", ringside::toJson(comparison.where)}, {"cases", Json::array()}}},
                 {"groups", Json::array()}};
    for (const BaseCase& base : comparison.cases)
        json["base"]["cases"].push_back(toJson(base));
    for (const Group& group : comparison.groups)
        json["groups"].push_back(toJson(group, comparison.show, comparison.disturbedLeftOut));
    return json.dump(2);
}

} // namespace ringside::report
