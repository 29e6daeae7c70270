// SPDX-License-Identifier: MIT
#include "core/report/comparison.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/jobs/programs/table.h"
#include "core/report/againstdesign.h"
#include "core/report/basechecks.h"
#include "core/report/bases.h"
#include "core/report/comparedkind.h"
#include "core/report/conditions.h"
#include "core/report/factors.h"
#include "core/report/imported.h"
#include "core/report/otherwise.h"
#include "core/spec/matrix.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/systems.h"
#include "core/stats/interval.h"
#include "core/stats/quantile.h"
#include "core/stats/throughput.h"
#include "core/store/runflag.h"
#include "core/store/summaries.h"

#include <algorithm>

namespace ringside::report {
namespace {

using store::MeasuredRun;
namespace runflag = store::runflag;

bool isCompared(const MeasuredRun& run)
{
    return run.row.kind != RunKind::trial && run.row.inMatrix && jobs::programOf(run.row.settings).trains();
}

bool wasImported(const MeasuredRun* run)
{
    return run->row.kind == RunKind::imported;
}

bool has(const MeasuredRun& run, std::string_view flag)
{
    return contains(run.row.flags, flag);
}

bool isOutOfN(const MeasuredRun& run, const CompareRequest& request)
{
    return (request.leaveOutDisturbed && has(run, runflag::kDisturbed)) ||
           (!request.keepNan && has(run, runflag::kNan));
}

std::optional<double> rateOf(const MeasuredRun& run)
{
    const bool isOwn = spec::isOwnWorker(run.row.settings);
    const auto counts = isOwn ? store::Counts::areEqual : store::Counts::mayDiffer;
    return stats::runThroughput(store::workOf(run.ranks, counts), integerOf(run.row.settings, "ranks").value_or(1));
}

stats::MeanIteration iterationOf(const MeasuredRun& run)
{
    std::vector<stats::RankPhaseSums> sums = mapped(run.ranks, [&](const store::RankSummary& rank) {
        return stats::RankPhaseSums{rank.iterations, rank.phaseSums, rank.commTotalSum,
                                    rank.readSum,    rank.decodeSum, rank.told};
    });
    return stats::meanIteration(sums);
}

/// The runs of one configuration, as found.
struct Cell
{
    Settings settings;
    std::vector<const MeasuredRun*> runs;
};

std::map<std::string, Cell> cellsOf(const std::vector<MeasuredRun>& runs)
{
    std::map<std::string, Cell> cells;
    for (const MeasuredRun& run : runs) {
        if (!isCompared(run))
            continue;
        Cell& cell = cells[run.row.configurationKey];
        cell.settings = run.row.settings;
        cell.runs.push_back(&run);
    }
    for (auto& [key, cell] : cells)
        std::ranges::sort(cell.runs, [](auto* a, auto* b) { return a->row.number < b->row.number; });
    return cells;
}

/// Counts a run into its group; returns its rate if it is one of n.
std::optional<double> countRun(Group& group, const MeasuredRun& run, const CompareRequest& request)
{
    const auto rate = rateOf(run);
    const bool failed = run.row.state == RunState::failed; // without an attempt if it was refused
    group.failed += std::max(run.row.failedAttempts, failed ? 1 : 0);
    if (run.row.state != RunState::done)
        return std::nullopt;
    group.disturbed += rate && has(run, runflag::kDisturbed);
    if (wasImported(&run))
        ++group.flags[groupflag::kImported];
    const bool isOut = !rate || isOutOfN(run, request);
    group.unmeasured += !rate;
    group.finishedOut += isOut;
    for (const std::string& flag : run.row.flags) {
        ++group.flags[flag];
        if (isOut)
            ++group.leftOut[flag];
    }
    return isOut ? std::nullopt : rate;
}

Measure medianOf(const std::vector<double>& values)
{
    Measure measure;
    if (values.empty())
        return measure;
    measure.value = stats::median(values);
    if (const auto interval = stats::medianInterval(values)) {
        measure.low = interval->low;
        measure.high = interval->high;
    }
    return measure;
}

/// Returns nothing unless every run has it, since all figures are of the same runs.
Measure medianOf(const std::vector<Utilisation>& runs, Utilised what)
{
    std::vector<double> shares;
    for (const Utilisation& run : runs)
        if (run.of(what))
            shares.push_back(*run.of(what));
    return shares.size() == runs.size() ? medianOf(shares) : Measure();
}

/// Returns the roles beside the ranks: of a system, or of the plan.
std::vector<Role> rolesBeside(const Settings& settings, const spec::Experiment& experiment)
{
    if (spec::systemOf(settings))
        return spec::rolesOf(settings);
    const auto plan = spec::planOf(experiment, settings);
    return plan ? rolesOf(*plan) : std::vector<Role>();
}

Resources resourcesOf(const Settings& settings, const std::vector<Role>& roles)
{
    const auto whole = [&](const char* key) { return static_cast<int>(integerOf(settings, key).value_or(0)); };
    Resources used;
    used.processes = whole("ranks") + processesOf(roles);
    used.cores = used.processes * whole("cores_per_rank");
    if (const spec::System* system = spec::systemOf(settings); system && system->process == spec::ProcessOf::node)
        used.processes = std::max(whole("nodes"), 1); // roles it has none
    if (whole("nodes") > 0)
        used.nodes = whole("nodes") + ownNodesOf(roles, std::max(whole("ranks_per_node"), 1));
    used.areMoreThanRanks = !roles.empty();
    return used;
}

void countRoles(Group& group, const std::vector<Role>& roles)
{
    group.used = resourcesOf(group.settings, roles);
    group.servers = 0;
    for (const Role& role : roles)
        group.servers += role.name == kServerRole || role.duty == Duty::serves ? role.count : 0;
}

/// The roles beside the ranks are known as far as the settings state them, not as a run would be made here.
void countToldRoles(Group& group)
{
    const std::vector<Role> told = spec::toldRolesOf(group.settings);
    countRoles(group, told);
    if (told.size() < spec::rolesOf(group.settings).size())
        group.used = {};
}

Group emptyGroup(const std::string& key, const Settings& settings, const spec::Experiment& experiment)
{
    Group group;
    group.key = key;
    group.settings = settings;
    countRoles(group, rolesBeside(settings, experiment));
    return group;
}

Group groupOf(const std::string& key, const Cell& cell, const CompareRequest& request)
{
    Group group = emptyGroup(key, cell.settings, request.experiment);
    if (std::ranges::all_of(cell.runs, wasImported))
        countToldRoles(group);
    std::vector<Utilisation> utilisations;
    for (const MeasuredRun* run : cell.runs) {
        const auto rate = countRun(group, *run, request);
        if (!rate)
            continue;
        group.runs.push_back(run->row.id);
        group.rates.push_back(*rate);
        group.windows.push_back(windowOf(*run));
        addFacts(group, run->facts);
        group.iterations.push_back(iterationOf(*run));
        utilisations.push_back(utilisationOf(run->ranks));
    }
    group.throughput = medianOf(group.rates);
    for (const Utilised what : kUtilised)
        group.utilisation.of(what) = medianOf(utilisations, what);
    group.iteration = stats::meanOverRuns(group.iterations);
    return group;
}

/// Places of a group's levels in their factors: what is not declared is before them, a system's own plan behind.
std::vector<std::ptrdiff_t> placesOf(const Group& group, const std::vector<spec::Factor>& factors)
{
    std::vector<std::ptrdiff_t> places;
    for (const spec::Factor& factor : factors) {
        const Value* value = valueOf(group.settings, factor.key);
        const auto found = value ? std::ranges::find(factor.levels, *value) : factor.levels.end();
        const bool isPlaced = found != factor.levels.end() || (value && spec::isOwnPlan(factor.key, *value));
        places.push_back(isPlaced ? found - factor.levels.begin() : -1);
    }
    return places;
}

/// In the order of their levels; those with the same ones stay in theirs.
void sortBy(const std::vector<spec::Factor>& factors, std::vector<Group>& groups)
{
    std::ranges::stable_sort(
        groups, [&](const Group& a, const Group& b) { return placesOf(a, factors) < placesOf(b, factors); });
}

/// Returns the sites at which the experiment was launched; the planned site if it never was.
std::set<std::string> ownSites(const std::vector<Group>& groups, const spec::Experiment& experiment)
{
    std::set<std::string> sites;
    for (const Group& group : groups)
        if (const auto site = textOf(group.settings, "site"); site && !isImported(group))
            sites.insert(*site);
    return sites.empty() ? std::set{experiment.site} : sites;
}

void addNeverLaunched(std::vector<Group>& groups, const spec::Experiment& experiment, const std::string& site)
{
    const auto matrix = spec::expand(experiment, site);
    if (!matrix)
        return; // its runs are there all the same
    for (const spec::Configuration& configuration : matrix->configurations)
        if (std::ranges::none_of(groups, [&](const Group& group) {
                return group.key == configuration.key || spec::wasMadeFor(configuration.settings, group.settings);
            }))
            groups.push_back(emptyGroup(configuration.key, configuration.settings, experiment));
}

/// Cells of the matrix that were never launched are missing, too.
void addNeverLaunched(std::vector<Group>& groups, const spec::Experiment& experiment)
{
    if (groups.empty())
        return;
    for (const std::string& site : ownSites(groups, experiment))
        addNeverLaunched(groups, experiment, site);
}

std::vector<Group> groupsOf(const std::map<std::string, Cell>& cells, const CompareRequest& request)
{
    std::vector<Group> groups;
    for (const auto& [key, cell] : cells)
        groups.push_back(groupOf(key, cell, request));
    addNeverLaunched(groups, request.experiment);
    sortBy(declaredFactors(groups, request.experiment), groups);
    return groups;
}

std::map<std::string, int> basesLeftOutOf(const Comparison& comparison)
{
    std::map<std::string, int> flags;
    for (const Group& group : comparison.groups)
        if (spec::matches(group.settings, comparison.where))
            for (const auto& [flag, runs] : group.leftOut)
                flags[flag] += runs;
    return flags;
}

bool isLeftOut(const Group& group, const CompareRequest& request)
{
    return std::ranges::any_of(request.leftOut, [&](const auto& entry) {
        const Value* value = valueOf(group.settings, entry.first);
        return value && contains(entry.second, *value);
    });
}

Settings whereOf(const CompareRequest& request)
{
    return request.base.value_or(request.experiment.base);
}

/// Base cases stay beside the groups, since ratios are to them.
void leaveOut(Comparison& comparison, const CompareRequest& request)
{
    const auto out = std::ranges::stable_partition(comparison.groups,
                                                   [&](const Group& group) { return !isLeftOut(group, request); });
    std::ranges::copy_if(out, std::back_inserter(comparison.basesOut), &Group::isBase);
    comparison.groups.erase(out.begin(), out.end());
}

std::map<std::string, AggregationPlan> ownPlansOf(const Comparison& comparison, const spec::Experiment& experiment)
{
    std::vector<const Group*> groups = unshownBases(comparison);
    for (const Group& group : comparison.groups)
        groups.push_back(&group);
    std::map<std::string, AggregationPlan> plans;
    for (const Group* group : groups)
        if (const auto name = textOf(group->settings, "plan"); name && *name != spec::kNoPlan)
            if (const auto own = experiment.plans.find(*name); own != experiment.plans.end())
                plans.insert(*own);
    return plans;
}

void lookAtPlans(std::vector<Group>& groups, const spec::Experiment& experiment)
{
    for (Group& group : groups)
        if (const auto plan = spec::planOf(experiment, group.settings)) {
            const spec::Departures departures = spec::departuresOf(*plan, group.settings);
            group.lossy = departures.lossy;
            group.asynchronous = departures.asynchronous;
            for (const auto& [flag, applies] :
                 {std::pair(groupflag::kLossy, group.lossy), std::pair(groupflag::kAsynchronous, group.asynchronous)})
                if (applies && group.n() > 0)
                    group.flags[flag] = group.n();
        }
}

} // namespace

std::vector<const Group*> unshownBases(const Comparison& comparison)
{
    const auto isUsed = [&](const Group& base) {
        return std::ranges::any_of(comparison.groups,
                                   [&](const Group& group) { return group.n() > 0 && group.base == base.base; });
    };
    std::vector<const Group*> bases;
    for (const Group& base : comparison.basesOut)
        if (comparison.kind->isRatio() && isUsed(base))
            bases.push_back(&base);
    return bases;
}

/// Logs that do not tell their batch do not tell either whether it grows with the ranks.
spec::Scaling scalingOf(const Comparison& comparison)
{
    std::vector<const Settings*> measured;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            measured.push_back(&group.settings);
    for (const Group& group : comparison.groups)
        if (group.n() > 0 && group.base)
            measured.push_back(&comparison.cases[*group.base].settings);
    std::erase_if(measured, [](const Settings* settings) { return !tellsBatch(*settings); });
    return spec::scalingOf(measured, comparison.factors);
}

std::set<Items> kindsOfItems(const Comparison& comparison)
{
    std::vector<const Group*> counted;
    for (const Group& group : comparison.groups)
        if (comparison.chosen == 0 || group.n() > 0)
            counted.push_back(&group);
    return kindsOfItems(counted, [](const Group* group) -> const Settings& { return group->settings; });
}

Items itemsOf(const Comparison& comparison)
{
    return commonItems(kindsOfItems(comparison));
}

Utilisation utilisationOf(const Group& group)
{
    Utilisation utilisation;
    for (const Utilised what : kUtilised)
        utilisation.of(what) = group.utilisation.of(what).value;
    return utilisation;
}

stats::Window windowOf(const MeasuredRun& run)
{
    stats::Window window{run.row.warmup, 0, 0};
    if (run.ranks.empty())
        return window;
    const auto fewest = std::ranges::min(run.ranks, {}, &store::RankSummary::iterations);
    const auto longest = std::ranges::max(run.ranks, {}, &store::RankSummary::lengthNs);
    window.iterations = static_cast<int>(fewest.iterations);
    window.seconds = static_cast<double>(longest.lengthNs) / 1e9;
    return window;
}

std::optional<Error> whyNotCompared(const spec::Experiment& experiment)
{
    if (jobs::programOf(experiment.fixed).trains())
        return std::nullopt;
    const bool wereImported = contains(experiment.exclude, Settings{{"engine", std::string(kCalibrationEngine)}});
    if (wereImported) // and are of several sites, perhaps, where the experiment has the one of any other
        return Error{ErrorCode::usage,
                     Words::tr("“{}” holds imported tables of links; they train nothing that could be compared.",
                               experiment.name),
                     Words::tr("“ringside-cli calibrate {} --show” says what is known of their links.",
                               experiment.site == spec::kLocalSite ? "SITE" : experiment.site)};
    return Error{ErrorCode::usage,
                 Words::tr("“{}” measures what {} can do; it trains nothing that could be compared.", experiment.name,
                           experiment.site),
                 Words::tr("“ringside-cli calibrate {} --show” says what it found.", experiment.site)};
}

namespace {

/// Compares these groups, whose bases it finds.
Result<Comparison> comparisonOf(std::vector<Group>& groups, int total, Bases& bases, const CompareRequest& request)
{
    Comparison comparison;
    comparison.experiment = request.experiment.name;
    comparison.kind = request.kind;
    comparison.disturbedLeftOut = request.leaveOutDisturbed;
    comparison.nanKept = request.keepNan;
    comparison.leftOut = request.leftOut;
    comparison.where = whereOf(request);
    comparison.cases = bases.find(groups);
    comparison.groups = groups;
    comparison.total = total;
    comparison.basesLeftOut = basesLeftOutOf(comparison);
    comparison.isBaseBatchUntold = isBatchUntold(comparison, comparison.where);
    leaveOut(comparison, request);
    comparison.factors = variedFactors(comparison.groups, request.experiment);
    sortBy(comparison.factors, comparison.groups); // some are not declared
    comparison.hasSystemsWay = std::ranges::any_of(
        comparison.groups, [](const Group& group) { return textOf(group.settings, "plan") == spec::kOwnPlan; });
    comparison.ownPlans = ownPlansOf(comparison, request.experiment);
    for (std::vector<Group>* looked : {&comparison.groups, &comparison.basesOut})
        lookAtPlans(*looked, request.experiment);
    addDifferencesFromOwn(comparison, request.experiment);
    for (const Group& group : comparison.groups)
        comparison.chosen += group.n();
    comparison.scaling = scalingOf(comparison);
    TRY(request.kind->check(comparison, request.experiment));
    if (const auto oneBase = checkOneBase(comparison); !oneBase) { // a table of rates has speed-ups, too
        comparison.noSpeedup = oneBase.error().message;
        comparison.cases.clear();
        comparison.basesOut.clear();
        Bases::forget(comparison.groups);
    }
    if (request.kind->showsPhases())
        addDifferencesFromDesigns(comparison, request.experiment);
    return comparison;
}

} // namespace

Result<Comparison> compare(const std::vector<MeasuredRun>& runs, const CompareRequest& request)
{
    if (auto why = whyNotCompared(request.experiment))
        return tl::unexpected(std::move(*why));
    const std::map<std::string, Cell> cells = cellsOf(runs);
    const int total = static_cast<int>(std::ranges::count_if(runs, isCompared));
    std::vector<Group> groups = groupsOf(cells, request);
    Bases bases(request.experiment, whereOf(request));
    TRY_ASSIGN(Comparison comparison, comparisonOf(groups, total, bases, request));
    const auto isDisturbed = [](const Group& group) { return group.disturbed > 0; };
    if (std::ranges::none_of(groups, isDisturbed))
        return comparison;
    CompareRequest other = request;
    other.leaveOutDisturbed = !request.leaveOutDisturbed;
    for (Group& group : groups)
        if (isDisturbed(group)) // the others are the same with either choice
            group = groupOf(group.key, cells.at(group.key), other);
    if (const auto otherwise = comparisonOf(groups, total, bases, other))
        addOtherwise(comparison, *otherwise);
    else
        comparison.noOtherwise = otherwise.error().message;
    return comparison;
}

} // namespace ringside::report
