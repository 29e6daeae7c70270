// SPDX-License-Identifier: MIT
#include "core/report/software.h"

#include "core/base/sequences.h"
#include "core/report/figurewords.h"
#include "core/report/layout.h"
#include "core/spec/systems.h"
#include "core/store/frameworks.h"

#include <algorithm>

namespace ringside::report {
namespace {

constexpr std::size_t kLongestVersion = 60;

using store::Framework;
using store::kFrameworks;

using Versions = std::set<std::string>;

Versions versionsOf(const Group& group, std::string_view fact)
{
    const auto found = group.facts.find(std::string(fact));
    return found == group.facts.end() ? Versions() : found->second;
}

bool saysBuild(const Versions& versions)
{
    return std::ranges::any_of(versions, [](const std::string& version) { return contains(version, '+'); });
}

Versions withoutBuild(const Versions& versions)
{
    Versions bare;
    for (const std::string& version : versions)
        bare.insert(version.substr(0, version.find('+')));
    return bare;
}

/// libtorch says "2.11.0" where PyTorch says "2.11.0+cu130".
bool areSame(std::string_view fact, const Versions& one, const Versions& other)
{
    const bool isBuildLeftOut = isFramework(fact) && saysBuild(one) != saysBuild(other);
    return one == other || (isBuildLeftOut && withoutBuild(one) == withoutBuild(other));
}

/// A single rank has no network. Engines differ in what is their own.
bool isComparable(const std::string& fact, const Group& base, const Group& group)
{
    const Versions had = versionsOf(base, fact), has = versionsOf(group, fact), single = {"single"};
    if (had.empty() || has.empty() || had == single || has == single)
        return false;
    const bool isSameEngine = textOf(base.settings, "engine") == textOf(group.settings, "engine");
    const bool isEngines = fact == "system" || fact == "network";
    return isSameEngine ? !isOfSystem(fact, group.settings) : !isEngines;
}

/// " with torch 2.0.1+cu117"
std::string frameworksText(const Group& group)
{
    std::vector<std::string> parts;
    for (const Framework& framework : kFrameworks) {
        const Versions versions = versionsOf(group, framework.fact);
        if (!versions.empty() && !isOfSystem(framework.fact, group.settings))
            parts.push_back(fmt::format("{} {}", framework.fact,
                                        cutText(enumerate({versions.begin(), versions.end()}), kLongestVersion)));
    }
    return parts.empty() ? "" : " with " + enumerate(parts);
}

} // namespace

bool isFramework(std::string_view fact)
{
    return std::ranges::find(kFrameworks, fact, &Framework::fact) != std::end(kFrameworks);
}

bool isOfSystem(std::string_view fact, const Settings& settings)
{
    const auto found = std::ranges::find(kFrameworks, fact, &Framework::fact);
    return found != std::end(kFrameworks) && textOf(settings, "engine") == found->engine;
}

std::vector<std::string> systemTexts(const Group& group)
{
    const std::string frameworks = frameworksText(group);
    return mapped<std::string>(versionsOf(group, "system"), [&](const std::string& system) {
        return cutText(system, kLongestVersion) + frameworks;
    });
}

std::string versionText(const Comparison& comparison, const Group& group)
{
    if (!varied(comparison, "engine"))
        return {};
    const spec::System* system = spec::systemOf(group.settings);
    const std::string name = system ? system->title + " " : "";
    const std::vector<std::string> texts = systemTexts(group);
    if (!texts.empty())
        return joined(texts, ", ", [&](const std::string& text) {
            return text.starts_with(name) ? text.substr(name.size()) : text;
        });
    const Versions torch = versionsOf(group, "torch");
    return torch.empty() ? "" : "torch " + joined(torch, ", ");
}

bool haveVersions(const Comparison& comparison)
{
    return std::ranges::any_of(comparison.groups,
                               [&](const Group& group) { return !versionText(comparison, group).empty(); });
}

spec::Differences factsThatDiffer(const Group& base, const Group& group)
{
    spec::Differences differs;
    for (const auto& [fact, values] : group.facts) {
        const Versions had = versionsOf(base, fact);
        if (isComparable(fact, base, group) && !areSame(fact, had, values))
            differs.emplace(fact, std::pair(Value(joined(had, " and ")), Value(joined(values, " and "))));
    }
    return differs;
}

spec::Differences frameworksThatDiffer(const Group& base, const Group& group)
{
    spec::Differences differs = factsThatDiffer(base, group);
    std::erase_if(differs, [](const auto& entry) { return !isFramework(entry.first); });
    return differs;
}

} // namespace ringside::report
