// SPDX-License-Identifier: MIT
#include "core/report/choice.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/report/colours.h"
#include "core/report/layout.h"
#include "core/spec/basecase.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::report {
namespace {

/// A level that a combination collapsed to, such as plan "none", is only in the runs.
bool occurs(const Settings::value_type& level, const spec::Experiment& experiment,
            const std::vector<store::MeasuredRun>& runs)
{
    const spec::Factor* factor = experiment.factor(level.first);
    if (factor && contains(factor->levels, level.second))
        return true;
    return std::ranges::any_of(runs, [&](const store::MeasuredRun& run) {
        const Value* has = valueOf(run.row.settings, level.first);
        return has && *has == level.second;
    });
}

Error doesNotVary(const std::string& key, const Comparison& comparison)
{
    std::vector<std::string> varied = mapped(comparison.factors, &spec::Factor::key);
    return {ErrorCode::usage, Words::tr("“{}” is no factor that varies in what is shown.", key),
            varied.empty() ? Words::tr("Nothing varies.") : Words::tr("These vary: {}.", joined(varied, ", "))};
}

Result<void> checkColours(const FigureRequest& request, const Comparison& comparison)
{
    if (request.coloured.empty())
        return {};
    const std::vector<std::string> names = seriesNames(comparison, layoutFor(comparison, request));
    for (const std::string& name : request.coloured)
        if (!isSeries(names, name))
            return fail(ErrorCode::usage, Words::tr("“{}” is no series of this figure.", plainText(name)),
                        Words::tr("There are: {}.", joined(names, ", ")));
    return {};
}

} // namespace

Result<std::map<std::string, std::vector<Value>>> levelsLeftOut(const std::vector<std::string>& rules,
                                                                const spec::Experiment& experiment,
                                                                const std::vector<store::MeasuredRun>& runs)
{
    std::map<std::string, std::vector<Value>> leftOut;
    for (const std::string& rule : rules) {
        TRY_ASSIGN(const Settings levels, spec::parseRule(rule, experiment));
        for (const Settings::value_type& level : levels) {
            if (!occurs(level, experiment, runs))
                return fail(ErrorCode::usage, Words::tr("No run of “{}” has {}.", experiment.name, rule),
                            spec::baseChoices(experiment));
            leftOut[level.first].push_back(level.second);
        }
    }
    return leftOut;
}

Result<void> checkLayout(const FigureRequest& request, const Comparison& comparison)
{
    std::vector<std::string> keys;
    for (const std::string& key : {request.x, request.series, request.panels}) {
        if (key.empty())
            continue;
        if (!varied(comparison, key))
            return tl::unexpected(doesNotVary(key, comparison));
        if (contains(keys, key))
            return fail(ErrorCode::usage, Words::tr("“{}” is named for two places of the figure.", key),
                        Words::tr("Name each factor once."));
        keys.push_back(key);
    }
    return checkColours(request, comparison);
}

} // namespace ringside::report
