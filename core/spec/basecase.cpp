// SPDX-License-Identifier: MIT
#include "core/spec/basecase.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/spec/levels.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <numeric>

namespace ringside::spec {

namespace {

/// Limit of base cases in a message; more are not read.
constexpr std::size_t kMostChoices = 12;

bool mentions(const Settings& settings, bool (*isKind)(std::string_view))
{
    return std::ranges::any_of(settings, [&](const auto& entry) { return isKind(entry.first); });
}

void drop(Settings& settings, bool (*isKind)(std::string_view))
{
    std::erase_if(settings, [&](const auto& entry) { return isKind(entry.first); });
}

bool sharesKey(const Settings& a, const Settings& b)
{
    return std::ranges::any_of(a, [&](const auto& entry) { return b.count(entry.first) > 0; });
}

std::optional<Value> levelOf(const Settings& settings, const std::string& key)
{
    const Value* level = valueOf(settings, key);
    return level ? std::optional(*level) : std::nullopt;
}

/// An option that is as many there as ranks, nodes or ranks of a node, as it is where none is set.
bool isOfWorldByDefault(std::string_view key, const Settings& settings)
{
    const Setting* setting = findSetting(key);
    const Value* value = valueOf(settings, key);
    return setting && value && isWorldKey(setting->standardFrom) && standardOf(*setting, settings) == *value;
}

bool isSetByLevel(const Experiment& experiment, const std::string& key)
{
    return std::ranges::any_of(experiment.when,
                               [&](const Conditional& conditional) { return conditional.set.count(key) > 0; });
}

bool isSaid(const Experiment& experiment, const std::string& key)
{
    return experiment.factor(key) || experiment.fixed.contains(key) || isSetByLevel(experiment, key);
}

/// A rule about nodes takes some of them away, with their ranks: those that stay have as many as before. One about the
/// ranks of a node leaves what the experiment says beside it.
std::string keptOfWorld(const Experiment& experiment, const Settings& rule)
{
    if (rule.contains("ranks"))
        return {};
    if (rule.contains("nodes"))
        return "ranks_per_node";
    if (!rule.contains("ranks_per_node"))
        return {};
    return isSaid(experiment, "ranks") && !isSaid(experiment, "nodes") ? "ranks" : "nodes";
}

/// Returns the value in a configuration; nullopt for ranks per node if its nodes do not have as many each.
std::optional<std::int64_t> keptValue(const Settings& settings, const std::string& key)
{
    if (key != "ranks_per_node")
        return integerOf(settings, key);
    const std::int64_t ranks = integerOf(settings, "ranks").value_or(0),
                       nodes = integerOf(settings, "nodes").value_or(0);
    return ranks > 0 && nodes > 0 && ranks % nodes == 0 ? std::optional(ranks / nodes) : std::nullopt;
}

/// The settings as a user would have set them, so that resolving derives the rest anew.
Settings undone(Settings settings, const BaseCase& base)
{
    const Settings& rule = base.rule;
    if (mentions(rule, isWorldKey)) {
        const Settings before = settings;
        std::erase_if(settings, [&](const auto& entry) { return isOfWorldByDefault(entry.first, before); });
        drop(settings, isWorldKey);
        if (const auto kept = keptValue(before, base.kept))
            settings[base.kept] = *kept;
    }
    if (settings.count("batch_global"))
        settings.erase("batch_per_rank");
    if (const Value* engine = valueOf(rule, "engine"); engine && !(levelOf(settings, "engine") == *engine))
        settings.erase("plan"); // engines aggregate in their own ways
    return settings;
}

/// A setting does not have to agree if it follows from the rule, or is of the rest of a group of which the rule names a
/// part.
bool isFree(std::string_view key, const BaseCase& base)
{
    if (base.rule.count(key) || (key == "ranks_per_node" && base.kept == key))
        return false;
    const auto follows = [&](bool (*isKind)(std::string_view)) {
        return mentions(base.rule, isKind) || std::ranges::any_of(base.following, isKind);
    };
    return base.following.count(key) > 0 || (isWorldKey(key) && mentions(base.rule, isWorldKey)) ||
           (isBatchKey(key) && follows(isBatchKey));
}

/// Returns whether a setting that every engine knows and nothing derives is another one than the base has: seen without
/// resolving.
bool isOtherAtSight(const Settings& candidate, const Settings& of, const BaseCase& base)
{
    constexpr std::array kPlain = {"engine", "model", "ranks"};
    return std::ranges::any_of(kPlain, [&](const char* key) {
        const Value *has = valueOf(candidate, key), *ruled = valueOf(base.rule, key);
        const Value* wanted = ruled ? ruled : valueOf(of, key);
        return has && wanted && !(*has == *wanted) && !isFree(key, base);
    });
}

/// Returns whether resolving a run leaves a setting out although the run has it: an option that no table has any more,
/// or what an imported run states and its engine's table does not list.
bool isToldAlone(std::string_view key, const Settings& run)
{
    return valueOf(run, key) && !knows(run, key);
}

/// Compares as runs have it what resolving would leave out of one of both. One that lacks it does not state it, or
/// it had no effect there.
bool isOtherAsTold(const Settings& candidate, const Settings& of, const BaseCase& base)
{
    return std::ranges::any_of(candidate, [&](const auto& entry) {
        const auto& [key, value] = entry;
        const Value *ruled = valueOf(base.rule, key), *has = valueOf(of, key);
        const Value* wanted = ruled ? ruled : has;
        return wanted && !(*wanted == value) && !isFree(key, base) &&
               (isToldAlone(key, candidate) || isToldAlone(key, of));
    });
}

/// Returns whether a difference of two runs in a setting is one: both engines know it, or both runs state it.
bool isComparedIn(std::string_view key, const Settings& one, const Settings& other)
{
    const bool isAsTold = isToldAlone(key, one) || isToldAlone(key, other);
    return isAsTold ? valueOf(one, key) && valueOf(other, key) : isShared(key, one, other);
}

/// Resolved where it can be, with what only the run itself tells.
Settings resolvedAsTold(const Settings& run)
{
    Settings settings = resolve(run).value_or(run);
    for (const auto& [key, value] : run)
        if (isToldAlone(key, run))
            settings.emplace(key, value);
    return settings;
}

/// A setting that its system has come to obey since.
bool wasNotObeyed(std::string_view key, const Settings& run)
{
    const Setting* setting = findSetting(key);
    return systemOf(run) && setting && !isOption(key) && !setting->inHashWhenDefault && !valueOf(run, key);
}

/// Removes what is no ground to set runs of two engines apart: undeclaredDifferences() names it.
Settings withoutNotObeyed(Settings settings, const Settings& candidate, const Settings& of, const BaseCase& base)
{
    if (systemOf(candidate) != systemOf(of))
        std::erase_if(settings, [&](const auto& entry) {
            return !base.rule.contains(entry.first) &&
                   (wasNotObeyed(entry.first, candidate) || wasNotObeyed(entry.first, of));
        });
    return settings;
}

/// Returns whether a factor says it, or it is derived from what factors say: the shape of the world, and the share of a
/// batch that is held for all ranks.
bool isDeclared(const Experiment& experiment, const std::string& key, const Settings& base, const Settings& of)
{
    if (experiment.factor(key))
        return true;
    if (key == "batch_per_rank" && base.count("batch_global") && of.count("batch_global"))
        return true;
    const auto isOfWorld = [](const Factor& factor) { return isWorldKey(factor.key); };
    const bool isDerived = (isOfWorldByDefault(key, base) && isOfWorldByDefault(key, of)) ||
                           (isWorldKey(key) && !isSetByLevel(experiment, key));
    return isDerived && std::ranges::any_of(experiment.factors, isOfWorld);
}

/// A system aggregates in its own way, except on a single rank: no setting could make that the same.
bool isOwnWay(std::string_view key, const Settings& settings)
{
    return key == "plan" && systemOf(settings);
}

/// A value as typed: in quotes, as a file has it, or without.
std::string_view unquoted(std::string_view text)
{
    const bool isQuoted =
        text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.front() == text.back();
    return isQuoted ? text.substr(1, text.size() - 2) : text;
}

/// Factors that are free, the world's first.
std::vector<std::string> openFactors(const Experiment& experiment, const BaseCase& base)
{
    constexpr std::array kWorld = {"nodes", "ranks", "ranks_per_node"};
    std::vector<std::string> open;
    const auto add = [&](const std::string& key) {
        if (experiment.factor(key) && isFree(key, base))
            open.push_back(key);
    };
    std::ranges::for_each(kWorld, add);
    for (const Factor& factor : experiment.factors)
        if (!isWorldKey(factor.key))
            add(factor.key);
    return open;
}

/// Counts the settings that only one of both has: a log that was imported has few.
std::ptrdiff_t untoldByOne(const Settings& one, const Settings& other)
{
    const auto missingIn = [](const Settings& settings) {
        return [&settings](const auto& entry) { return !settings.contains(entry.first); };
    };
    return std::ranges::count_if(one, missingIn(other)) + std::ranges::count_if(other, missingIn(one));
}

/// Those for which a number is smallest.
template <class Number> std::vector<std::size_t> least(const std::vector<std::size_t>& places, const Number& numberOf)
{
    std::map<std::ptrdiff_t, std::vector<std::size_t>> byNumber;
    for (const std::size_t place : places)
        byNumber[numberOf(place)].push_back(place);
    return byNumber.empty() ? places : byNumber.begin()->second;
}

std::vector<std::size_t> firstOfSame(const std::vector<std::size_t>& places, const std::vector<Settings>& bases)
{
    std::set<Settings> seen;
    std::vector<std::size_t> first;
    for (const std::size_t place : places)
        if (seen.insert(resolvedAsTold(bases[place])).second)
            first.push_back(place);
    return first;
}

/// "ranks=1" -> ranks, 1.
Result<Settings::value_type> parseRulePart(std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string key(trimmed(part.substr(0, equals)));
    if (key == "site" && equals != std::string_view::npos) // of any name
        return Settings::value_type{key, Value(std::string(trimmed(part.substr(equals + 1))))};
    const Setting* setting = findSetting(key);
    if (equals == std::string_view::npos || !setting)
        return fail(ErrorCode::usage, Words::tr("{} is no rule.", inQuotes(part)),
                    setting ? Words::tr("Write ranks=1.") : suggestion(key, settingKeys()));
    const std::string_view value = unquoted(trimmed(part.substr(equals + 1)));
    const LevelList list = parseLevels(*setting, value, {std::string(value)});
    if (!list.errors.empty() || list.levels.size() != 1)
        return fail(ErrorCode::usage,
                    Words::tr("{} is no rule: {}", inQuotes(part),
                              list.errors.empty() ? Words::tr("one value is expected.") : list.errors.front().message));
    return Settings::value_type{key, list.levels.front()};
}

/// Says what is wrong with a part, and what the experiment has instead.
Error refusal(Error why, const Experiment& experiment)
{
    why.hint += (why.hint.empty() ? "" : " ") + baseChoices(experiment);
    return why;
}

} // namespace

BaseCase baseCase(const Experiment& experiment)
{
    return baseCase(experiment, experiment.base);
}

BaseCase baseCase(const Experiment& experiment, Settings rule)
{
    BaseCase base{std::move(rule)};
    for (const Conditional& conditional : experiment.when)
        if (sharesKey(conditional.match, base.rule))
            for (const auto& [key, value] : conditional.set)
                base.following.insert(key);
    if (base.rule.contains("device") && !isSaid(experiment, "cores_per_rank"))
        base.following.insert("cores_per_rank"); // its default is by the device
    base.kept = keptOfWorld(experiment, base.rule);
    base.open = openFactors(experiment, base);
    return base;
}

Result<Settings> parseRule(std::string_view text, const Experiment& experiment)
{
    Settings rule;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        auto entry = parseRulePart(part);
        if (!entry)
            return tl::unexpected(refusal(std::move(entry.error()), experiment));
        if (const std::string key = entry->first; !rule.insert(std::move(*entry)).second)
            return fail(ErrorCode::usage, Words::tr("{} is given twice.", inQuotes(key)),
                        Words::tr("A base case has one level of it."));
    }
    return rule;
}

std::string baseChoices(const Experiment& experiment)
{
    std::vector<std::string> rules;
    for (const Factor& factor : experiment.factors)
        for (const Value& level : factor.levels)
            rules.push_back(fmt::format("{}={}", factor.key, toText(level)));
    if (rules.empty())
        return Words::tr("“{}” has no factors.", experiment.name);
    const bool isCut = rules.size() > kMostChoices;
    rules.resize(std::min(rules.size(), kMostChoices));
    return Words::tr("“{}” has {}.", experiment.name, isCut ? joined(rules, ", ") + ", …" : listed(rules));
}

Result<Settings> resolveBase(const Settings& of, const BaseCase& base)
{
    if (base.rule.empty())
        return fail(ErrorCode::usage, Words::tr("There is no base case."), Words::tr("Name one, such as ranks = 1."));
    if (matches(of, base.rule))
        return resolve(of).value_or(of); // a log has few of the settings
    auto resolved = resolve(overlay(undone(of, base), base.rule));
    if (!resolved)
        return fail(ErrorCode::usage, resolved.error().message, resolved.error().hint);
    return std::move(*resolved);
}

Settings comparable(Settings resolved, const BaseCase& base, const Settings& of)
{
    const Settings all = resolved;
    std::erase_if(resolved, [&](const auto& entry) {
        return isFree(entry.first, base) || isGoneOption(entry.first) ||
               !(base.rule.count(entry.first) || isShared(entry.first, all, of));
    });
    return resolved;
}

namespace {

/// On a single rank any plan collapses, a fixed one as one of a factor.
bool isCollapsedPlan(std::string_view key, const Settings& one, const Settings& other)
{
    const auto isCollapsed = [](const Settings& settings) {
        return textOf(settings, "plan") == kNoPlan && ranksOf(settings) == 1;
    };
    return key == "plan" && (isCollapsed(one) || isCollapsed(other));
}

} // namespace

Differences undeclaredDifferences(const Experiment& experiment, const Settings& base, const Settings& of)
{
    const Settings left = resolvedAsTold(base), right = resolvedAsTold(of); // earlier ones lack settings
    Settings all = left;
    all.insert(right.begin(), right.end());
    Differences differences;
    for (const auto& [key, value] : all)
        if (const auto had = levelOf(left, key), has = levelOf(right, key);
            had != has && isComparedIn(key, base, of) && !isOwnWay(key, right) && !isCollapsedPlan(key, left, right) &&
            hasEffect(left, key) && hasEffect(right, key) && !isDeclared(experiment, key, left, right))
            differences.emplace(key, std::pair(had, has));
    return differences;
}

bool isBaseOf(const Settings& candidate, const Settings& of, const BaseCase& base)
{
    if (isOtherAtSight(candidate, of, base) || isOtherAsTold(candidate, of, base))
        return false;
    const auto wanted = resolveBase(of, base);
    const auto complete = resolve(candidate); // a run of an earlier version lacks settings that were added since
    const auto sharedOf = [&](const Settings& resolved) {
        return withoutNotObeyed(comparable(resolved, base, of), candidate, of, base);
    };
    return wanted && complete && sharedOf(*wanted) == sharedOf(*complete);
}

bool wasMadeFor(const Settings& cell, const Settings& run)
{
    if (run.size() >= cell.size())
        return false;
    Settings obeyed = cell;
    std::erase_if(obeyed, [&](const auto& entry) { return wasNotObeyed(entry.first, run); });
    return obeyed == run;
}

Settings lineOf(const Settings& settings, const std::vector<Factor>& factors, const Settings& rule)
{
    Settings line;
    for (const Factor& factor : factors)
        if (const auto level = settings.find(factor.key);
            level != settings.end() && !rule.contains(factor.key) && !isWorldKey(factor.key) && factor.key != "plan")
            line.insert(*level);
    return line;
}

std::vector<std::size_t> closestBases(const std::vector<Settings>& bases, const Settings& of, const BaseCase& base)
{
    std::vector<std::size_t> closest(bases.size());
    std::iota(closest.begin(), closest.end(), 0);
    const auto preferTo = [&](const auto& isFurther) { closest = least(closest, isFurther); };
    for (const std::string& key : base.open)
        preferTo([&](std::size_t at) { return levelOf(bases[at], key) != levelOf(of, key); });
    const std::string design = designOf(of);
    preferTo([&](std::size_t at) {
        const bool isOwnEngine = systemOf(bases[at]) == systemOf(of);
        return isOwnEngine ? untoldByOne(bases[at], of) : std::ptrdiff_t(textOf(bases[at], "plan") != design);
    });
    return closest.size() > 1 ? firstOfSame(closest, bases) : closest;
}

std::vector<std::string> tellingApart(const std::vector<Settings>& several)
{
    return mapped(several, [&](const Settings& one) {
        Settings own = one;
        std::erase_if(own, [&](const auto& entry) {
            return std::ranges::all_of(several, [&](const Settings& other) {
                const Value* level = valueOf(other, entry.first);
                return level && *level == entry.second;
            });
        });
        return ruleText(own);
    });
}

std::string ruleText(const Settings& rule)
{
    return listed(
        mapped(rule, [](const auto& part) { return fmt::format("{} = {}", part.first, toText(part.second)); }));
}

std::int64_t ranksOf(const Settings& settings)
{
    return integerOf(settings, "ranks").value_or(1);
}

} // namespace ringside::spec
