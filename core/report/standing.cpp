// SPDX-License-Identifier: MIT
#include "core/report/standing.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/protocol/models.h"
#include "core/report/differences.h"
#include "core/report/items.h"
#include "core/report/numbers.h"
#include "core/report/software.h"
#include "core/spec/systems.h"
#include "core/stats/best.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::report {
namespace {

/// Settings that say what is done and on how much: with another level, a rate counts something else.
constexpr std::array<std::string_view, 8> kWork = {"model",          "image_size", "sequence_length", "batch_global",
                                                   "batch_per_rank", "ranks",      "nodes",           "ranks_per_node"};

/// Indices of groups that have runs, at least two of them.
using Rivals = std::vector<std::size_t>;

bool isWork(std::string_view key)
{
    return contains(kWork, key);
}

bool sameLevel(const Group& a, const Group& b, std::string_view key)
{
    const Value *left = levelOf(a, key), *right = levelOf(b, key);
    return (left == nullptr) == (right == nullptr) && (!left || *left == *right);
}

bool isKnownToAll(const Comparison& comparison, std::string_view key)
{
    return std::ranges::all_of(comparison.groups, [&](const Group& group) {
        return spec::isShared(key, comparison.groups.front().settings, group.settings);
    });
}

/// In a comparison of engines, settings that some of them do not know are compared with them.
bool isCompared(const Comparison& comparison, std::string_view key, std::string_view compared)
{
    return key == compared || (compared == "engine" && !isKnownToAll(comparison, key));
}

bool isConditional(const spec::Experiment& experiment, const std::string& key)
{
    return !experiment.factor(key) && std::ranges::any_of(experiment.when, [&](const spec::Conditional& conditional) {
        return conditional.set.contains(key);
    });
}

/// The settings by which groups answer the same question or another one.
struct Keys
{
    std::vector<std::string_view> equal;
    std::vector<std::string_view> compared;
    std::vector<std::string_view> conditional; ///< go with a level that is compared, and are said to differ
};

/// Panels are never set against each other by what a conditional gives.
Keys keysOf(const Comparison& comparison, const spec::Experiment& experiment, std::string_view panels)
{
    Keys keys;
    const auto add = [&](std::string_view key, bool isGiven) {
        if (isCompared(comparison, key, comparison.comparedFactor))
            keys.compared.push_back(key);
        else
            (isGiven ? keys.conditional : keys.equal).push_back(key);
    };
    for (const std::string_view key : kWork)
        add(key, false);
    for (const spec::Factor& factor : comparison.factors)
        add(factor.key, factor.key != panels && isConditional(experiment, factor.key));
    return keys;
}

bool areRivals(const Group& a, const Group& b, const Keys& keys)
{
    const auto isSame = [&](std::string_view key) { return sameLevel(a, b, key); };
    return itemsOf(a.settings) == itemsOf(b.settings) && std::ranges::all_of(keys.equal, isSame) &&
           (std::ranges::all_of(keys.conditional, isSame) || !std::ranges::all_of(keys.compared, isSame));
}

std::vector<Rivals> rivalsOf(const Comparison& comparison, const Keys& keys)
{
    std::vector<Rivals> all;
    for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
        const Group& group = comparison.groups[i];
        if (group.n() == 0)
            continue;
        const auto isRival = [&](std::size_t other) { return areRivals(comparison.groups[other], group, keys); };
        const auto found =
            std::ranges::find_if(all, [&](const Rivals& rivals) { return std::ranges::all_of(rivals, isRival); });
        if (found == all.end())
            all.push_back({i});
        else
            found->push_back(i);
    }
    std::erase_if(all, [](const Rivals& rivals) { return rivals.size() < 2; });
    return all;
}

double rateOf(const Group& group)
{
    return group.throughput.value.value_or(0);
}

std::size_t fastestOf(const Comparison& comparison, const Rivals& rivals)
{
    return *std::ranges::max_element(rivals, {}, [&](std::size_t i) { return rateOf(comparison.groups[i]); });
}

bool isEnough(const Group& group)
{
    return group.n() >= stats::kLeastRuns;
}

/// Those of which something can be claimed; empty if the fastest is none of them.
Rivals judged(const Comparison& comparison, Rivals rivals)
{
    if (!isEnough(comparison.groups[fastestOf(comparison, rivals)]))
        return {};
    std::erase_if(rivals, [&](std::size_t i) { return !isEnough(comparison.groups[i]); });
    return rivals;
}

/// The level of one of `tests` independent comparisons, of which any may be wrong with the significance: Šidák, Journal
/// of the American Statistical Association 62, 1967.
double levelOfEach(std::size_t tests)
{
    return -std::expm1(std::log1p(-stats::kSignificance) / static_cast<double>(tests));
}

double pOfAll(double p, std::size_t tests)
{
    return p < 1 ? -std::expm1(static_cast<double>(tests) * std::log1p(-p)) : 1;
}

void judge(Comparison& comparison, const Rivals& rivals, std::size_t tests)
{
    std::vector<std::vector<double>> rates =
        mapped(rivals, [&](const std::size_t i) { return comparison.groups[i].rates; });
    const double level = levelOfEach(tests);
    if (!stats::canBeShown(level)) {
        for (const std::size_t i : rivals)
            comparison.groups[i].againstBest->why = NoClaim::manyComparisons;
        return;
    }
    const stats::BestOf compared = stats::compareWithBest(rates, level, stats::permutationsFor(level));
    for (std::size_t i = 0; i < rivals.size(); ++i) {
        AgainstBest& standing = *comparison.groups[rivals[i]].againstBest;
        const stats::AgainstBest& group = compared.groups[i];
        if (i == compared.best)
            continue;
        standing.verdict = group.p <= level ? Verdict::slower : Verdict::noDifferenceShown;
        standing.p = pOfAll(group.p, tests);
        if (group.interval) {
            standing.low = group.interval->low;
            standing.high = group.interval->high;
        }
    }
}

/// A factor that some engines do not know sets engines against each other, unless each has a panel of its own.
std::string comparedFactor(const Comparison& comparison, const Layout& layout)
{
    for (const std::string& key : {layout.series, layout.x})
        if (!key.empty() && !isWork(key))
            return layout.panels == "engine" || isKnownToAll(comparison, key) ? key : "engine";
    return {};
}

/// Before anything is judged: who is the fastest, and how far the others are from it.
void addRatios(Comparison& comparison, const spec::Experiment& experiment, const Rivals& rivals)
{
    const std::size_t fastest = fastestOf(comparison, rivals);
    const Group& best = comparison.groups[fastest];
    for (const std::size_t i : rivals) {
        Group& group = comparison.groups[i];
        const bool isBest = i == fastest && isEnough(group);
        spec::Differences differs = spec::undeclaredDifferences(experiment, best.settings, group.settings);
        differs.merge(frameworksThatDiffer(best, group));
        group.againstBest = AgainstBest{isBest ? Verdict::best : Verdict::noClaim,
                                        rateOf(group) / rateOf(best),
                                        {},
                                        {},
                                        {},
                                        isEnough(group) ? NoClaim::fewOfTheFastest : NoClaim::fewRuns,
                                        std::move(differs)};
    }
}

} // namespace

const char* verdictWords(const AgainstBest& standing)
{
    switch (standing.verdict) {
    case Verdict::best:
        return Words::noop("fastest");
    case Verdict::slower:
        return Words::noop("slower");
    case Verdict::noDifferenceShown:
        return Words::noop("no difference shown");
    case Verdict::noClaim:
        break;
    }
    if (standing.why == NoClaim::manyComparisons)
        return Words::noop("no claim, too many comparisons");
    return standing.why == NoClaim::fewRuns ? Words::noop("no claim, n < 6")
                                            : Words::noop("no claim, fastest has n < 6");
}

std::string verdictText(const AgainstBest& standing)
{
    std::string text = verdictWords(standing);
    if (standing.p)
        text += ", " + formatP(*standing.p);
    if (!standing.differs.empty())
        text += ", " + differsToo(keysOf(standing.differs));
    return text;
}

void addStandings(Comparison& comparison, const spec::Experiment& experiment, const FigureRequest& request)
{
    const Layout layout = layoutFor(comparison, request);
    comparison.comparedFactor = comparedFactor(comparison, layout);
    for (Group& group : comparison.groups)
        group.againstBest.reset();
    if (comparison.comparedFactor.empty())
        return;
    std::vector<Rivals> tests;
    for (const Rivals& rivals : rivalsOf(comparison, keysOf(comparison, experiment, layout.panels))) {
        addRatios(comparison, experiment, rivals);
        if (Rivals enough = judged(comparison, rivals); enough.size() > 1)
            tests.push_back(std::move(enough));
    }
    for (const Rivals& rivals : tests)
        judge(comparison, rivals, tests.size());
}

} // namespace ringside::report
