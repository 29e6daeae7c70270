// SPDX-License-Identifier: MIT
#include "core/spec/validate.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/protocol/calibration.h"
#include "core/spec/basecase.h"
#include "core/spec/calibration.h"
#include "core/spec/cellchecks.h"
#include "core/spec/matrix.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/schema.h"
#include "core/spec/scriptchecks.h"
#include "core/spec/systems.h"
#include "core/spec/values.h"
#include "core/spec/wording.h"

#include <algorithm>

namespace ringside::spec {

namespace {

constexpr std::size_t kMostFindings = 100; ///< more would not be read, and the search for duplicates stays cheap

using Checks = std::vector<Check>;

void add(Checks& checks, Severity severity, std::string field, std::string value, std::string message,
         std::string hint = {})
{
    checks.push_back({severity, std::move(field), std::move(value), 0, 0, std::move(message), std::move(hint)});
}

/// A name is typed in commands, and files are called after it.
bool isTakenForOther(const std::string& name)
{
    return name.find_first_of("-.") == 0 || name.find('/') != std::string::npos;
}

bool calibrates(const Experiment& experiment)
{
    return textOf(experiment.fixed, "engine") == kCalibrationEngine;
}

void checkHead(const Experiment& experiment, Checks& checks)
{
    if (const auto named = checkName(experiment.name); !named)
        add(checks, Severity::blocking, "name", experiment.name, named.error().message, named.error().hint);
    if (isCalibration(experiment.name, experiment.site) && !calibrates(experiment))
        add(checks, Severity::blocking, "name", experiment.name,
            Words::tr("Name: “{}” is that of this site's calibrations.", experiment.name),
            Words::tr("Give it another name."));
    if (experiment.site.empty())
        add(checks, Severity::blocking, "site", "", Words::tr("Site: is missing."),
            Words::tr("Leave it out for this computer."));
}

void checkWorker(const SiteLimits& site, Checks& checks)
{
    if (site.worker)
        add(checks, Severity::blocking, "", "", Words::tr("Worker: {}", site.worker->message), site.worker->hint);
}

void checkRepeats(const Runs& runs, Checks& checks)
{
    if (runs.repeats >= 1 && runs.repeats < kFewestRepeatsForInterval)
        add(checks, Severity::warning, "runs.repeats", std::to_string(runs.repeats),
            Words::counted("Repeats: {} give no 95 % interval; {} is the fewest.",
                           "Repeats: {} gives no 95 % interval; {} is the fewest.", runs.repeats,
                           kFewestRepeatsForInterval));
    if (runs.warmup == 0)
        add(checks, Severity::hint, "runs.warmup", "0",
            Words::tr("Warm-up: without it the slow first iterations count."), Words::tr("2 or more is usual."));
}

void checkPlansUsed(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    for (const auto& [name, plan] : experiment.plans)
        if (std::ranges::none_of(cells, [&, &name = name](const Cell& c) { return c.plan == name; }))
            add(checks, Severity::hint, "plans." + name, name,
                Words::tr("Plan: {} is used by no configuration.", inQuotes(name)));
}

/// Paced runs are emulated: their speed is what the experiment says it is.
void checkNotMixed(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    const auto kind = [](bool emulated) {
        return [emulated](const Cell& cell) { return !cell.excluded && isEmulated(cell.settings) == emulated; };
    };
    const bool anyPaced = std::ranges::any_of(cells, kind(true)), anyReal = std::ranges::any_of(cells, kind(false));
    if (anyPaced && anyReal)
        add(checks, Severity::blocking, experiment.factor("compute") ? "factors.compute" : "fixed.compute", "paced",
            Words::tr("Compute: measured and emulated runs cannot be compared."),
            Words::tr("Make an experiment of each."));
}

/// A pattern may name the plan that the levels say or the "none" that a single rank makes of it.
bool matchesCell(const Cell& cell, const Settings& pattern)
{
    return std::ranges::all_of(pattern, [&](const auto& entry) {
        const Value* has = valueOf(cell.settings, entry.first);
        return (has && *has == entry.second) || (entry.first == "plan" && entry.second == Value(cell.plan));
    });
}

bool anyMatches(const std::vector<Cell>& cells, const Settings& pattern)
{
    return std::ranges::any_of(cells, [&](const Cell& c) { return matchesCell(c, pattern); });
}

/// "when[0].set.batch_global": the first conditional that sets it.
std::optional<std::string> conditionalFieldOf(const Experiment& experiment, const std::string& key)
{
    for (std::size_t i = 0; i < experiment.when.size(); ++i)
        if (experiment.when[i].set.count(key))
            return fmt::format("when[{}].set.{}", i, key);
    return std::nullopt;
}

/// Names the place of a setting: "factors.batch_global[2]" for a level, "fixed.batch_global", else the conditional that
/// sets it.
std::string fieldOf(const Experiment& experiment, const std::string& key, const Settings& levels)
{
    if (const Factor* factor = experiment.factor(key)) {
        const auto level = levels.find(key);
        const auto at = std::ranges::find(factor->levels, level->second);
        return fmt::format("factors.{}[{}]", key, at - factor->levels.begin());
    }
    const auto conditional = experiment.fixed.count(key) ? std::nullopt : conditionalFieldOf(experiment, key);
    return conditional.value_or("fixed." + key);
}

/// A configuration that is run, and its base case. Resolved.
struct Ratio
{
    const Settings* of;
    const Settings* base;
    std::vector<Settings> several = {}; ///< of another engine, if the rule leaves open which of them it means
};

/// As the comparison chooses among them (core/report/bases.cpp). Nullopt where it leaves open which is meant.
std::optional<Ratio> ratioOf(const Settings& of, const std::set<const Settings*>& found, const BaseCase& base)
{
    if (found.contains(&of))
        return Ratio{&of, &of};
    const std::vector<const Settings*> all(found.begin(), found.end());
    const std::vector<Settings> bases = mapped(all, [](const Settings* each) { return *each; });
    const std::vector<std::size_t> closest = closestBases(bases, of, base);
    if (closest.size() > 1 && systemOf(of) == systemOf(bases.front()))
        return std::nullopt;
    Ratio ratio{&of, all[closest.front()]};
    if (closest.size() > 1)
        ratio.several = mapped(closest, [&](std::size_t at) { return bases[at]; });
    std::ranges::sort(ratio.several);
    return ratio;
}

/// Ratios of all configurations that have a base case.
std::vector<Ratio> ratiosOf(const std::vector<Cell>& cells, const BaseCase& base)
{
    using Bases = std::map<Settings, std::set<const Settings*>>;
    std::map<const System*, Bases> all; // by the engine of what has a base: it decides what is compared
    const auto basesFor = [&](const Settings& of) -> const Bases& {
        const auto [bases, isNew] = all.try_emplace(systemOf(of));
        for (const Cell& cell : cells)
            if (isNew && !cell.excluded && matches(cell.settings, base.rule))
                bases->second[comparable(cell.settings, base, of)].insert(&cell.settings);
        return bases->second;
    };
    std::vector<Ratio> ratios;
    for (const Cell& cell : cells) {
        const auto wanted = resolveBase(cell.settings, base);
        if (cell.excluded || !wanted)
            continue;
        const Bases& bases = basesFor(cell.settings);
        if (const auto found = bases.find(comparable(*wanted, base, cell.settings)); found != bases.end())
            if (const auto ratio = ratioOf(cell.settings, found->second, base))
                ratios.push_back(*ratio);
    }
    return ratios;
}

/// Returns what a level sets in a configuration and not in its base. Not the shape of the world, without which there
/// are no more ranks; and a single rank has no plan in any case.
std::set<std::string> undeclaredKeys(const Experiment& experiment, const std::vector<Ratio>& ratios)
{
    std::set<std::string> keys;
    for (const Ratio& ratio : ratios)
        for (const auto& [key, values] : undeclaredDifferences(experiment, *ratio.base, *ratio.of))
            keys.insert(key);
    std::erase_if(keys, [](const std::string& key) { return key == "plan" || isWorldKey(key); });
    return keys;
}

void checkOnlyFactorsDiffer(const Experiment& experiment, const std::vector<Ratio>& ratios, Checks& checks)
{
    for (const std::string& key : undeclaredKeys(experiment, ratios))
        add(checks, Severity::warning, conditionalFieldOf(experiment, key).value_or(fieldOf(experiment, key, {})), key,
            Words::tr("Base case: {} is not the same in all that is compared with it, so a speed-up is not of the "
                      "factors alone.",
                      key),
            Words::tr("Set it once in [fixed], or make it a factor."));
}

void checkCount(const Settings& rule, const std::vector<Cell>& cells, const std::vector<Ratio>& ratios, Checks& checks)
{
    const auto run = std::ranges::count_if(cells, [](const Cell& cell) { return !cell.excluded; });
    const std::size_t count = static_cast<std::size_t>(run) - ratios.size();
    if (count > 0)
        add(checks, Severity::warning, "base", ruleText(rule),
            Words::counted("Base case: {} combinations without one with {}, so without a speed-up.",
                           "Base case: {} combination without one with {}, so without a speed-up.", count,
                           ruleText(rule)));
}

/// As the comparison refuses it (core/report/basechecks.cpp).
void checkSameWork(const Settings& rule, const std::vector<Ratio>& ratios, Checks& checks)
{
    for (const Ratio& ratio : ratios)
        for (const char* key : kWorkKeys) {
            const Value *had = valueOf(*ratio.base, key), *has = valueOf(*ratio.of, key);
            if (!rule.contains(key) || !had || !has || *had == *has)
                continue;
            return add(checks, Severity::warning, "base", ruleText(rule),
                       Words::tr("Base case: the work of an iteration is not the same with {} and with {}, so there is "
                                 "no speed-up.",
                                 shownLabelOf(key, *had), shownLabelOf(key, *has)),
                       Words::tr("Choose a base case that each has of its own, such as ranks = 1."));
        }
}

/// As the comparison refuses it (core/report/basechecks.cpp).
void checkOneWorld(const Experiment& experiment, const std::vector<Ratio>& ratios, Checks& checks)
{
    const Settings& rule = experiment.base;
    std::map<Settings, std::set<std::int64_t>> ranks;
    for (const Ratio& ratio : ratios)
        if (!rule.contains("engine"))
            ranks[lineOf(*ratio.base, experiment.factors, rule)].insert(ranksOf(*ratio.base));
    for (const auto& [line, counts] : ranks)
        if (counts.size() > 1)
            return add(checks, Severity::warning, "base", ruleText(rule),
                       Words::tr("Base case: {} stands for runs on {} to {} ranks, so there is no speed-up.",
                                 ruleText(rule), *counts.begin(), *counts.rbegin()),
                       Words::tr("Name the number of ranks as well: ranks = {}, {}.", *counts.begin(), ruleText(rule)));
}

/// As the comparison refuses it (core/report/basechecks.cpp).
void checkNotSeveral(const Settings& rule, const std::vector<Ratio>& ratios, Checks& checks)
{
    const auto unclear = std::ranges::find_if(ratios, [](const Ratio& ratio) { return !ratio.several.empty(); });
    if (unclear == ratios.end())
        return;
    const std::vector<std::string> bases = tellingApart(unclear->several);
    add(checks, Severity::warning, "base", ruleText(rule),
        Words::tr("Base case: {} stands for runs with {}, so there is no speed-up of {}.", ruleText(rule),
                  listed(bases), shownLabelOf("engine", unclear->of->at("engine"))),
        Words::tr("Name one of them as well: {}, {}.", ruleText(rule), bases.front()));
}

/// One rank, where ranks are compared, else the first level of the first factor.
std::string possibleBase(const Experiment& experiment)
{
    const auto isCompared = [&](std::string_view key) {
        return std::ranges::find(experiment.factors, key, &Factor::key) != experiment.factors.end();
    };
    if (isCompared("ranks") || experiment.factors.empty() || experiment.factors.front().levels.empty())
        return "ranks = 1";
    const Factor& first = experiment.factors.front();
    return ruleText({{first.key, first.levels.front()}});
}

void checkBase(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    if (experiment.base.empty())
        return add(checks, Severity::hint, "base", "", Words::tr("Base case: none is named, so there is no speed-up."),
                   Words::tr("Add [base] with {}.", possibleBase(experiment)));
    const auto isBase = [&](const Cell& c) { return !c.excluded && matches(c.settings, experiment.base); };
    if (std::ranges::none_of(cells, isBase))
        return add(checks, Severity::blocking, "base", ruleText(experiment.base),
                   Words::tr("Base case: {} matches no configuration.", ruleText(experiment.base)),
                   Words::tr("Name levels that the experiment has."));
    const std::vector<Ratio> ratios = ratiosOf(cells, baseCase(experiment));
    checkCount(experiment.base, cells, ratios, checks);
    checkSameWork(experiment.base, ratios, checks);
    checkNotSeveral(experiment.base, ratios, checks);
    checkOneWorld(experiment, ratios, checks);
    checkOnlyFactorsDiffer(experiment, ratios, checks);
}

/// Batch means the same everywhere; systems have other words for it.
void sayBatches(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    std::string sentences;
    for (const System& system : systems())
        if (!system.batch.empty() && std::ranges::any_of(cells, [&](const Cell& cell) {
                return !cell.excluded && systemOf(cell.settings) == &system;
            }))
            sentences += fmt::format(" {}: {}", system.title, system.batch);
    const std::string key = experiment.fixed.contains("batch_global") ? "batch_global" : "batch_per_rank";
    if (!sentences.empty())
        add(checks, Severity::hint, (experiment.factor(key) ? "factors." : "fixed.") + key, "",
            Words::tr("Batch:") + sentences);
}

/// An option is set once for all engines, and only its own one knows it.
void checkOptionsUsed(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    const auto anyRun = [&](const auto& isSo) {
        return std::ranges::any_of(cells, [&](const Cell& cell) { return !cell.excluded && isSo(cell.settings); });
    };
    const auto check = [&](const std::string& field, const std::string& key) {
        if (!isOption(key) || anyRun([&](const Settings& settings) { return settings.contains(key); }))
            return;
        const bool isKnown = anyRun([&](const Settings& settings) { return knows(settings, key); });
        add(checks, Severity::hint, field, key,
            isKnown ? Words::tr("{}: has no effect in any of these runs. It has one only {}.", shownLabelOf(key),
                                effectText(key))
                    : Words::tr("{}: has no effect, because no run has an engine that uses it.", shownLabelOf(key)));
    };
    for (const auto& [key, value] : experiment.fixed)
        check("fixed." + key, key);
    for (const Factor& factor : experiment.factors)
        check("factors." + factor.key, factor.key);
}

void checkScripts(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    for (Check& check : checkScriptsDiffer(cells)) {
        const std::string factor = "factors." + check.field;
        check.field = experiment.factor(check.field)
                          ? factor
                          : conditionalFieldOf(experiment, check.field).value_or("fixed." + check.field);
        checks.push_back(std::move(check));
    }
}

void checkPatternsUsed(const Experiment& experiment, const std::vector<Cell>& cells, Checks& checks)
{
    for (std::size_t i = 0; i < experiment.when.size(); ++i)
        if (const Settings& match = experiment.when[i].match; match.empty())
            add(checks, Severity::warning, fmt::format("when[{}]", i), "",
                Words::tr("When: has no match, so it always holds."), Words::tr("Put its settings into [fixed]."));
        else if (std::ranges::none_of(cells, [&](const Cell& cell) { return contains(cell.conditionals, i); }))
            add(checks, Severity::warning, fmt::format("when[{}].match", i), ruleText(match),
                Words::tr("When: {} matches no configuration.", ruleText(match)));
    for (std::size_t i = 0; i < experiment.exclude.size(); ++i)
        if (const Settings& pattern = experiment.exclude[i]; pattern.empty() || !anyMatches(cells, pattern))
            add(checks, Severity::warning, fmt::format("exclude[{}]", i), ruleText(pattern),
                Words::tr("Exclude: matches no configuration."));
}

void addOnce(Checks& checks, Check check)
{
    const auto same = [&](const Check& other) { return other.field == check.field && other.message == check.message; };
    const std::size_t room =
        check.severity == Severity::blocking ? 2 * kMostFindings : kMostFindings; // never lose the gravest
    if (checks.size() < room && std::ranges::none_of(checks, same))
        checks.push_back(std::move(check));
}

void checkForSite(const Experiment& experiment, const Cell& cell, const Settings& levels, const SiteLimits& site,
                  Checks& checks)
{
    if (cell.excluded)
        return;
    for (Check& check : checkCell(cell.settings, planOf(experiment, cell.settings).value_or(AggregationPlan{}), site)) {
        check.field = fieldOf(experiment, check.field, levels);
        addOnce(checks, std::move(check));
    }
}

/// Resolves every combination and looks at each one for the site; nothing if one cannot be resolved.
std::optional<std::vector<Cell>> checkCells(const Experiment& experiment, const SiteLimits& site, Checks& checks)
{
    std::vector<Cell> cells;
    bool allResolved = true;
    forEachCombination(experiment, [&](const Settings& levels) {
        auto cell = resolveCell(experiment, levels, experiment.site);
        allResolved = allResolved && cell;
        if (!cell) {
            const Unresolved& why = cell.error();
            addOnce(checks,
                    {Severity::blocking, fieldOf(experiment, why.key, levels), why.value, 0, 0, why.message, why.hint});
            return true;
        }
        checkForSite(experiment, *cell, levels, site, checks);
        cells.push_back(std::move(*cell));
        return true;
    });
    return allResolved ? std::optional(std::move(cells)) : std::nullopt;
}

std::size_t configurationsIn(const std::vector<Cell>& cells)
{
    std::set<Settings> distinct;
    for (const Cell& cell : cells)
        if (!cell.excluded)
            distinct.insert(cell.settings);
    return distinct.size();
}

/// Returns why a system cannot run one of the cells; empty: it can.
std::string firstGap(const std::vector<Cell>& cells)
{
    const auto found = std::ranges::find_if(cells, [](const Cell& cell) { return !cell.gap.empty(); });
    return found == cells.end() ? std::string() : gapText(found->settings, found->gap);
}

void append(Checks& checks, Checks more)
{
    std::ranges::move(more, std::back_inserter(checks));
}

/// Looks at combinations; only for experiments whose values and sizes are right.
void checkMatrix(const Experiment& experiment, const SiteLimits& site, Checks& checks)
{
    const auto cells = checkCells(experiment, site, checks);
    if (!cells)
        return; // which patterns match is unknown while combinations are not known
    const std::size_t configurations = configurationsIn(*cells);
    append(checks, checkSize(configurations, experiment, firstGap(*cells)));
    if (configurations > kMaxConfigurations)
        return; // the rest would take seconds
    checkPatternsUsed(experiment, *cells, checks);
    checkOptionsUsed(experiment, *cells, checks);
    checkPlansUsed(experiment, *cells, checks);
    checkBase(experiment, *cells, checks);
    sayBatches(experiment, *cells, checks);
    checkNotMixed(experiment, *cells, checks);
    checkScripts(experiment, *cells, checks);
}

void place(Checks& checks, const Positions& positions)
{
    for (Check& check : checks) {
        const Position at = positionOf(positions, check.field);
        check.line = at.line;
        check.column = at.column;
    }
}

} // namespace

Result<void> checkName(const std::string& name)
{
    const bool control = plainText(name) != name || name.find_first_of("\n\t") != std::string::npos;
    if (name.find_first_not_of(' ') == std::string::npos)
        return fail(ErrorCode::usage, Words::tr("Name: is missing."), Words::tr("Add name = \"my-experiment\"."));
    if (name.size() > kLongestName || control)
        return fail(ErrorCode::usage, Words::tr("Name: is too long or has control characters."),
                    Words::tr("Use one line of at most 120 bytes."));
    if (isTakenForOther(name))
        return fail(ErrorCode::usage, Words::tr("Name: “{}” would be taken for an option or a folder.", name),
                    Words::tr("Begin it with a letter or a digit, and leave “/” out."));
    return {};
}

std::vector<Check> validate(const Experiment& experiment, const SiteLimits& site, const Positions& positions)
{
    Checks checks;
    checkHead(experiment, checks);
    append(checks, checkValues(experiment));
    append(checks, checkCombinations(experiment));
    checkRepeats(experiment.runs, checks);
    const bool matrixIsSound = std::ranges::none_of(checks, [](const Check& c) {
        return c.severity == Severity::blocking && c.field != "name" && c.field.rfind("runs.", 0) != 0;
    });
    if (matrixIsSound)
        checkMatrix(experiment, site, checks);
    checkWorker(site, checks);
    place(checks, positions);
    sortByGravity(checks);
    return checks;
}

std::string installationHint(std::string_view system, std::string_view site)
{
    const std::string there = site == kLocalSite ? std::string() : fmt::format(" --site {}", site);
    return Words::tr("Install it in Sites, card Systems, or by “ringside-cli engine install {}{}”.", system, there);
}

ParseOutcome checkExperiment(std::string_view toml, const SiteLimits& site)
{
    ParseOutcome outcome = readExperiment(toml);
    if (outcome.experiment)
        append(outcome.checks, validate(*outcome.experiment, site, outcome.positions));
    sortByGravity(outcome.checks);
    return outcome;
}

} // namespace ringside::spec
