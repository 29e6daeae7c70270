// SPDX-License-Identifier: MIT
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/spec/plantoml.h"
#include "core/spec/schema.h"
#include "core/spec/toml.h"
#include "core/spec/tomltext.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside::spec {

namespace {

using Lines = TomlLines;

/// With a point or an exponent, so that a real number is read as one again.
std::string realText(double value)
{
    std::string text = fmt::format("{}", value);
    const bool reads = text.find_first_of(".enai") != std::string::npos; // "inf" and "nan" included
    return reads ? text : text + ".0";
}

std::string valueText(const Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return quotedToml(*text);
    if (const auto* real = std::get_if<double>(&value))
        return realText(*real);
    return toText(value);
}

std::string keyText(std::string_view key)
{
    const bool bare =
        !key.empty() && std::ranges::all_of(key, [](char c) { return isAlphanumeric(c) || c == '_' || c == '-'; });
    return bare ? std::string(key) : quotedToml(key);
}

std::string listText(const std::vector<Value>& values)
{
    return "[" + joined(values, ", ", valueText) + "]";
}

/// In the order of the schema, then what it does not know.
Lines settingLines(Settings settings)
{
    Lines lines;
    const auto move = [&](Settings::iterator entry) {
        lines.emplace_back(keyText(entry->first), valueText(entry->second));
        return settings.erase(entry);
    };
    for (const Setting& setting : schema())
        if (const auto found = settings.find(setting.key); found != settings.end())
            move(found);
    for (auto entry = settings.begin(); entry != settings.end();)
        entry = move(entry);
    return lines;
}

std::string inlineTable(const Settings& settings)
{
    const auto line = [](const auto& entry) { return entry.first + " = " + entry.second; };
    return settings.empty() ? "{}" : "{ " + joined(settingLines(settings), ", ", line) + " }";
}

Lines headLines(const Experiment& experiment)
{
    Lines lines = {{"format", std::to_string(experiment.format)}, {"name", quotedToml(experiment.name)}};
    if (!experiment.question.empty())
        lines.emplace_back("question", quotedToml(experiment.question));
    if (experiment.site != kLocalSite)
        lines.emplace_back("site", quotedToml(experiment.site));
    return lines;
}

Lines factorLines(const std::vector<Factor>& factors)
{
    Lines lines;
    for (const Factor& factor : factors)
        lines.emplace_back(keyText(factor.key), listText(factor.levels));
    return lines;
}

Lines runLines(const Runs& runs)
{
    Lines lines = {{"repeats", std::to_string(runs.repeats)},
                   {"iterations", std::to_string(runs.iterations)},
                   {"warmup", std::to_string(runs.warmup)},
                   {"order", quotedToml(nameOf(runs.order))},
                   {"seed", std::to_string(runs.seed)}};
    if (runs.hungAfterSeconds != Runs{}.hungAfterSeconds)
        lines.emplace_back("hung_after_s", std::to_string(runs.hungAfterSeconds));
    return lines;
}

} // namespace

std::string writeExperiment(const Experiment& experiment)
{
    std::string text = aligned(headLines(experiment));
    text += tomlSection("[factors]", factorLines(experiment.factors));
    text += tomlSection("[fixed]", settingLines(experiment.fixed));
    for (const Conditional& conditional : experiment.when)
        text +=
            tomlSection("[[when]]", {{"match", inlineTable(conditional.match)}, {"set", inlineTable(conditional.set)}});
    for (const auto& [name, plan] : experiment.plans)
        text += tomlSection(fmt::format("[plans.{}]", keyText(name)), planLines(plan));
    text += tomlSection("[runs]", runLines(experiment.runs));
    text += tomlSection("[base]", settingLines(experiment.base));
    for (const Settings& exclusion : experiment.exclude)
        text += fmt::format("\n[[exclude]]\n{}", aligned(settingLines(exclusion)));
    return text;
}

} // namespace ringside::spec
