// SPDX-License-Identifier: MIT
// Trials that a test gives to a probe: a word of its command line each, since a start of libtorch costs more than most
// trials.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace ringside::test {

inline constexpr double kAnyError = 1e30;

struct Trial
{
    AggregationPlan plan;
    std::string model = {}; ///< another than the probe's usual one
    int nodes = 1;          ///< on how many the ranks say that they are
    int iterations = 3;     ///< some, since buckets are used again, and later updates have momentum
    double least = 0;       ///< that it may be off: more than 0 where something has to be lost
    double most = kAnyError;

    /// Nor is what is no number.
    bool allows(double error) const { return error >= least && error <= most; }
};

using Trials = std::vector<Trial>;

inline std::string wordOf(const Trial& trial)
{
    return nlohmann::json{{"plan", toJson(trial.plan)},     {"model", trial.model}, {"nodes", trial.nodes},
                          {"iterations", trial.iterations}, {"least", trial.least}, {"most", trial.most}}
        .dump();
}

/// Those of a probe's command line; none if one of them has no plan.
inline Trials trialsIn(std::span<char*> words)
{
    Trials trials;
    for (const char* word : words.subspan(1)) {
        const auto json = nlohmann::json::parse(word);
        const auto plan = aggregationPlanFromJson(json.at("plan"));
        if (!plan)
            return {};
        trials.push_back(
            {*plan, json.at("model"), json.at("nodes"), json.at("iterations"), json.at("least"), json.at("most")});
    }
    return trials;
}

/// The plans, each within this.
inline Trials trialsOf(const std::vector<AggregationPlan>& plans, double most, double least = 0)
{
    Trials trials;
    for (const AggregationPlan& plan : plans)
        trials.push_back({.plan = plan, .least = least, .most = most});
    return trials;
}

inline Trials withModel(const std::string& model, Trials trials)
{
    for (Trial& trial : trials)
        trial.model = model;
    return trials;
}

inline Trials onNodes(int nodes, Trials trials)
{
    for (Trial& trial : trials)
        trial.nodes = nodes;
    return trials;
}

inline Trials joined(const std::vector<Trials>& all)
{
    Trials trials;
    for (const Trials& some : all)
        trials.insert(trials.end(), some.begin(), some.end());
    return trials;
}

} // namespace ringside::test
