// SPDX-License-Identifier: MIT
#include "core/report/basechecks.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/bases.h"
#include "core/report/flagnotes.h"
#include "core/report/layout.h"
#include "core/spec/basecase.h"
#include "core/spec/resolve.h"
#include "core/spec/schema.h"
#include "core/spec/wording.h"

#include <algorithm>

namespace ringside::report {
namespace {

bool isRatio(const Group& group)
{
    return group.n() > 0 && group.base;
}

/// Each measured group that has a base case, its own one included, with it.
template <class Visit> void forEachRatio(const Comparison& comparison, Visit visit)
{
    for (const Group& group : comparison.groups)
        if (isRatio(group))
            visit(group, comparison.cases[*group.base]);
}

/// A run whose batch is not known is no base case, not even its own: what was set against it might have another one.
Error noneFinished(const Comparison& comparison, const spec::Experiment& experiment)
{
    const std::string& name = comparison.experiment;
    const std::string rule = spec::ruleText(comparison.where), choices = spec::baseChoices(experiment);
    if (comparison.isBaseBatchUntold)
        return {ErrorCode::usage,
                Words::tr("No finished run of “{}” is a base case ({}): logs that were imported do not tell their "
                          "batch.",
                          name, rule),
                Words::tr("Say it on import, by “--set batch_per_rank=…”; a log that is in the store is taken again "
                          "once its experiment is deleted. Or choose another base case.") +
                    " " + choices};
    return {ErrorCode::usage, Words::tr("No finished run of “{}” is a base case ({}).", name, rule),
            Words::tr("Finish these runs or choose another base case.") + " " + choices};
}

Result<void> checkNamed(const Comparison& comparison, const spec::Experiment& experiment, const std::string& noneNamed)
{
    if (comparison.where.empty())
        return fail(ErrorCode::usage, noneNamed, Words::tr("Choose one.") + " " + spec::baseChoices(experiment));
    if (const auto way = wayToCount(comparison, comparison.basesLeftOut); way && comparison.cases.empty())
        return fail(ErrorCode::usage,
                    Words::tr("No finished run of “{}” that counts is a base case ({}): all of them are left out.",
                              comparison.experiment, spec::ruleText(comparison.where)),
                    Words::tr("Choose another base case, or {}.", *way) + " " + spec::baseChoices(experiment));
    if (comparison.cases.empty())
        return tl::unexpected(noneFinished(comparison, experiment));
    return {};
}

/// The fewest ranks of all measured groups, as a rule.
std::string fewestRanks(const Comparison& comparison)
{
    std::int64_t fewest = 0;
    for (const Group& group : comparison.groups)
        if (group.n() > 0 && (fewest == 0 || spec::ranksOf(group.settings) < fewest))
            fewest = spec::ranksOf(group.settings);
    return fmt::format("ranks = {}", fewest);
}

Result<void> checkWork(const Comparison& comparison)
{
    Result<void> outcome;
    forEachRatio(comparison, [&](const Group& group, const BaseCase& base) {
        for (const char* key : spec::kWorkKeys) {
            const Value *had = valueOf(base.settings, key), *has = valueOf(group.settings, key);
            if (!comparison.where.contains(key) || !had || !has || *had == *has)
                continue;
            outcome =
                fail(ErrorCode::usage,
                     Words::tr("{} is no base case of {}: the work of an iteration is not the same.",
                               spec::shownLabelOf(key, *had), spec::shownLabelOf(key, *has)),
                     Words::tr("Choose a base case that each has of its own, such as {}.", fewestRanks(comparison)));
        }
    });
    return outcome;
}

Result<void> checkNotSeveral(const Comparison& comparison)
{
    const auto isUnclear = [](const Group& group) { return group.n() > 0 && !group.several.empty(); };
    const auto unclear = std::ranges::find_if(comparison.groups, isUnclear);
    if (unclear == comparison.groups.end())
        return {};
    const std::vector<std::string> bases = spec::tellingApart(unclear->several);
    return fail(ErrorCode::usage,
                Words::tr("{} is not a single base case of {}: it stands for runs with {}.",
                          spec::ruleText(comparison.where), spec::shownLabelOf("engine", *levelOf(*unclear, "engine")),
                          spec::listed(bases)),
                Words::tr("Name one of them in the base case as well, such as {}, {}.",
                          spec::ruleText(comparison.where), bases.front()));
}

/// Groups of another engine are each set against the one of as many ranks: that separates kernels from aggregation.
Result<void> checkNotMixed(const Comparison& comparison)
{
    if (comparison.where.contains("engine"))
        return {};
    std::map<Settings, std::set<std::int64_t>> ranks;
    forEachRatio(comparison, [&](const Group&, const BaseCase& base) {
        ranks[spec::lineOf(base.settings, comparison.factors, comparison.where)].insert(spec::ranksOf(base.settings));
    });
    for (const auto& [line, counts] : ranks)
        if (counts.size() > 1)
            return fail(ErrorCode::usage,
                        Words::tr("{} is not a single base case: it stands for runs on {} to {} ranks.",
                                  spec::ruleText(comparison.where), *counts.begin(), *counts.rbegin()),
                        Words::tr("Choose {}, or name the number of ranks as well: ranks = {}, {}.",
                                  fewestRanks(comparison), *counts.rbegin(), spec::ruleText(comparison.where)));
    return {};
}

} // namespace

Result<void> checkBase(const Comparison& comparison, const spec::Experiment& experiment, const std::string& noneNamed)
{
    TRY(checkNamed(comparison, experiment, noneNamed));
    return checkOneBase(comparison);
}

Result<void> checkOtherRanks(const Comparison& comparison)
{
    Result<void> outcome;
    forEachRatio(comparison, [&](const Group& group, const BaseCase& base) {
        if (group.isBase || spec::ranksOf(group.settings) != spec::ranksOf(base.settings))
            return;
        outcome = fail(ErrorCode::usage,
                       Words::tr("The base case has as many ranks as what is compared with it ({}): there is no "
                                 "parallel efficiency between them.",
                                 spec::ranksOf(base.settings)),
                       varied(comparison, "ranks") ? Words::tr("Choose {}, or show speed-up.", fewestRanks(comparison))
                                                   : Words::tr("Show speed-up."));
    });
    return outcome;
}

bool areAllRanksAlike(const Comparison& comparison, const std::vector<const Group*>& groups)
{
    return std::ranges::all_of(groups, [&](const Group* group) {
        return !isRatio(*group) || areRanksAlike(group->settings, comparison.cases[*group->base].settings);
    });
}

Result<void> checkAlikeRanks(const Comparison& comparison)
{
    if (areAllRanksAlike(comparison, mapped(comparison.groups, [](const Group& group) { return &group; })))
        return {};
    return fail(ErrorCode::usage,
                Words::tr("The ranks of the base case have other devices or other numbers of cores than those of what is "
                          "compared with it: there is no parallel efficiency between them."),
                Words::tr("Choose a base case on the same device with as many cores for each rank, or show "
                          "speed-up."));
}

Result<void> checkOneBase(const Comparison& comparison)
{
    TRY(checkWork(comparison));
    TRY(checkNotSeveral(comparison));
    return checkNotMixed(comparison);
}

} // namespace ringside::report
