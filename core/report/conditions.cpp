// SPDX-License-Identifier: MIT
#include "core/report/conditions.h"

#include "core/base/files.h"
#include "core/base/sequences.h"
#include "core/report/csv.h"
#include "core/report/differences.h"
#include "core/report/figurewords.h"
#include "core/report/imported.h"
#include "core/report/layout.h"
#include "core/report/numbers.h"
#include "core/report/software.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"
#include "core/stats/quantile.h"
#include "core/store/frameworks.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::report {
namespace {

/// More kinds of a machine or version are not listed in a caption.
constexpr std::size_t kMostListed = 2, kMostSystems = 9;
constexpr std::size_t kLongestFact = 60;

std::vector<stats::Window> windowsOf(const Comparison& comparison)
{
    std::vector<stats::Window> windows;
    for (const Group& group : comparison.groups)
        windows.insert(windows.end(), group.windows.begin(), group.windows.end());
    return windows;
}

std::string textOf(int count)
{
    return std::to_string(count);
}
std::string textOf(double seconds)
{
    return formatShort(seconds);
}

/// "20", "20–40".
template <class Member> std::string rangeOf(const std::vector<stats::Window>& windows, Member member)
{
    const auto [least, most] = std::ranges::minmax_element(windows, {}, member);
    const std::string from = textOf((*least).*member), to = textOf((*most).*member);
    return from == to ? to : from + "–" + to;
}

std::string windowText(const std::vector<stats::Window>& windows)
{
    return fmt::format("{} iterations ({} s) after {} of warm-up", rangeOf(windows, &stats::Window::iterations),
                       rangeOf(windows, &stats::Window::seconds), rangeOf(windows, &stats::Window::warmup));
}

std::set<std::string> levelsOf(const Comparison& comparison, std::string_view key, Items items)
{
    std::set<std::string> levels;
    for (const Group& group : comparison.groups)
        if (const Value* level = levelOf(group, key); level && group.n() > 0 && itemsOf(group.settings) == items)
            levels.insert(spec::labelOf(key, *level));
    return levels;
}

/// Conditions in the order in which they are written. Logs tell few of them: what only the experiment's own runs tell
/// stands apart, since readers would take it for that of all.
struct Conditions
{
    std::vector<std::string> work = {}, machine = {}, ofOwnRuns = {};
};

/// Returns whether runs of a log are among these groups' and do not have it.
template <class Has> bool isUntoldBySome(const Comparison& comparison, const Has& has)
{
    return std::ranges::any_of(comparison.groups,
                               [&](const Group& group) { return isImported(group) && group.n() > 0 && !has(group); });
}

/// "224 pixels", "fp32".
void addWork(Conditions& conditions, const Comparison& comparison)
{
    const auto add = [&](const std::set<std::string>& levels, const char* unit, bool isOfOwn) {
        if (!levels.empty())
            (isOfOwn ? conditions.ofOwnRuns : conditions.work)
                .push_back(fmt::format("{}{}", fmt::join(levels, " and "), unit));
    };
    const auto hasPixels = [](const Group& group) {
        return itemsOf(group.settings) != Items::images || levelOf(group, "image_size");
    };
    const auto hasPrecision = [](const Group& group) { return levelOf(group, "precision") != nullptr; };
    add(levelsOf(comparison, "image_size", Items::images), " pixels", isUntoldBySome(comparison, hasPixels));
    std::set<std::string> precisions;
    for (const Items items : {Items::images, Items::sequences, Items::tokens})
        precisions.merge(levelsOf(comparison, "precision", items));
    add(precisions, "", isUntoldBySome(comparison, hasPrecision));
}

std::string kindsText(const std::set<std::string>& values, std::size_t most)
{
    return values.size() > most ? fmt::format("{} kinds", values.size()) : enumerate({values.begin(), values.end()});
}

std::set<std::string> cutFacts(const std::set<std::string>& values)
{
    std::set<std::string> cut;
    for (const std::string& value : values)
        cut.insert(cutText(value, kLongestFact));
    return cut;
}

/// "Horovod 0.28.1 with torch 2.0.1+cu117 and MXNet 1.9.1".
std::string systemsText(const Comparison& comparison)
{
    std::set<std::string> systems;
    for (const Group& group : comparison.groups)
        for (std::string& text : systemTexts(group))
            systems.insert(std::move(text));
    return kindsText(systems, kMostSystems);
}

/// "AMD EPYC 7763", "torch 2.11.0", "network mpi: ob1". Torch is that of Ringside's own engine; systems stand with
/// theirs.
void addMachine(Conditions& conditions, const Comparison& comparison)
{
    std::map<std::string, std::set<std::string>> facts;
    for (const Group& group : comparison.groups)
        for (const auto& [name, values] : group.facts)
            if (!isFramework(name) || !group.facts.contains("system"))
                facts[name].insert(values.begin(), values.end());
    if (facts["network"].size() > 1)
        facts["network"].erase("single"); // of single ranks, which have none
    if (!facts["system"].empty())         // which do not report theirs
        facts.erase("network");
    const auto add = [&](const char* name, const char* title) {
        const auto hasFact = [&](const Group& group) { return group.facts.contains(name); };
        if (const auto& values = facts[name]; !values.empty())
            (isUntoldBySome(comparison, hasFact) ? conditions.ofOwnRuns : conditions.machine)
                .push_back(title + kindsText(cutFacts(values), kMostListed));
    };
    add("processor", "");
    add("torch", "torch ");
    if (std::string systems = systemsText(comparison); !systems.empty())
        conditions.machine.push_back(std::move(systems));
    add("network", "network ");
}

/// " (script train.py)"
std::string scriptText(const Settings& settings)
{
    const auto script = spec::scriptOf(settings);
    return script ? fmt::format(" (script {})", fs::path(*script).filename().string()) : "";
}

std::string withSemicolons(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() || part.empty() ? "" : "; ") + part;
    return text;
}

std::string textOf(std::string window, const Conditions& conditions)
{
    const std::string ofOwn = joined(conditions.ofOwnRuns, ", ");
    return withSemicolons({std::move(window), joined(conditions.work, ", "), joined(conditions.machine, ", "),
                           ofOwn.empty() ? "" : "own runs: " + ofOwn});
}

template <class Member> std::string medianOf(const Group& group, Member member)
{
    std::vector<double> values =
        mapped(group.windows, [&](const stats::Window& window) { return static_cast<double>(window.*member); });
    return values.empty() ? "" : fmt::format("{}", stats::median(values));
}

std::string flagsField(const Group& group)
{
    return joined(group.flags, ";", [](const auto& flag) { return fmt::format("{}:{}", flag.first, flag.second); });
}

} // namespace

std::string conditionsText(const Comparison& comparison)
{
    const auto windows = windowsOf(comparison);
    if (windows.empty())
        return {};
    Conditions conditions;
    addWork(conditions, comparison);
    addMachine(conditions, comparison);
    return textOf(windowText(windows), conditions);
}

std::string briefConditionsText(const Comparison& comparison)
{
    const auto windows = windowsOf(comparison);
    if (windows.empty())
        return {};
    Conditions conditions;
    addWork(conditions, comparison);
    if (std::string systems = systemsText(comparison); !systems.empty())
        conditions.machine.push_back(std::move(systems));
    return textOf(windowText(windows), conditions);
}

std::string conditionsText(const store::RunRow& run, const store::RunFacts& facts)
{
    Comparison alone;
    Group& group = alone.groups.emplace_back();
    group.settings = run.settings;
    group.runs = {run.id};
    addFacts(group, facts);
    Conditions conditions;
    addWork(conditions, alone);
    addMachine(conditions, alone);
    return textOf("", conditions);
}

void addFacts(Group& group, const store::RunFacts& facts)
{
    const auto add = [&](std::string_view name, const std::string& text, const std::string& more = {}) {
        if (!text.empty())
            group.facts[std::string(name)].insert(text + more);
    };
    add("processor", facts.processor);
    for (const store::Framework& framework : store::kFrameworks)
        add(framework.fact, facts.*framework.version);
    add("system", facts.system, scriptText(group.settings));
    add("network", facts.network);
}

std::vector<std::pair<std::string, std::string>> conditionsOf(const Group& group)
{
    std::vector<std::pair<std::string, std::string>> conditions = {
        {"warmup", medianOf(group, &stats::Window::warmup)},
        {"measured_iterations", medianOf(group, &stats::Window::iterations)},
        {"measured_s", medianOf(group, &stats::Window::seconds)}};
    for (const Utilised what : kUtilised) {
        const Measure& share = group.utilisation.of(what);
        conditions.emplace_back(fieldOf(what), csv::number(share.value));
        conditions.emplace_back(fieldOf(what) + "_low", csv::number(share.low));
        conditions.emplace_back(fieldOf(what) + "_high", csv::number(share.high));
    }
    for (const char* name : {"processor", "torch", "system", "network"}) {
        const auto values = group.facts.find(name);
        conditions.emplace_back(name, values == group.facts.end() ? "" : joined(values->second, ";"));
    }
    for (const char* key : {"image_size", "sequence_length", "precision", "batch_per_rank", "batch_global"}) {
        const Value* level = levelOf(group, key);
        const bool isOfOthers = std::string_view(key) == "sequence_length" && itemsOf(group.settings) == Items::images;
        conditions.emplace_back(key, level && !isOfOthers ? toText(*level) : "");
    }
    conditions.emplace_back("flags", flagsField(group));
    conditions.emplace_back("differs", differencesText(group));
    return conditions;
}

Origin originOf(const Comparison& comparison, const Group& group)
{
    Origin origin{{}, conditionsOf(group), versionText(comparison, group)};
    for (const spec::Factor& factor : comparison.factors) {
        const Value* level = levelOf(group, factor.key);
        origin.factors.emplace_back(factor.key, level ? toText(*level) : "");
        std::erase_if(origin.conditions, [&](const auto& condition) { return condition.first == factor.key; });
    }
    return origin;
}

} // namespace ringside::report
