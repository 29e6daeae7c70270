// SPDX-License-Identifier: MIT
#include "core/report/flagnotes.h"

#include "core/report/layout.h"
#include "core/report/numbers.h"
#include "core/report/words.h"
#include "core/stats/window.h"

namespace ringside::report {
namespace {

int runsWith(const Comparison& comparison, const std::string& flag)
{
    int runs = 0;
    for (const Group& group : comparison.groups)
        if (const auto found = group.flags.find(flag); found != group.flags.end())
            runs += found->second;
    return runs;
}

struct Note
{
    const char* flag;
    const char* one;
    const char* many;
};

constexpr Note kNotes[] = {
    {"throttled", "run had a GPU that slowed itself down", "runs had a GPU that slowed itself down"},
    {"incomplete", "run lacks samples", "runs lack samples"},
    {"unobserved", "run may have been disturbed: nothing was recorded that would show it",
     "runs may have been disturbed: nothing was recorded that would show it"},
};

} // namespace

std::vector<std::string> flagNotes(const Comparison& comparison)
{
    std::vector<std::string> notes;
    if (const int runs = runsWith(comparison, "disturbed"); runs > 0)
        notes.push_back(counted(runs, "run was disturbed", "runs were disturbed") +
                        (comparison.disturbedLeftOut ? " and left out" : " and kept"));
    for (const Note& note : kNotes)
        if (const int runs = runsWith(comparison, note.flag); runs > 0)
            notes.push_back(counted(runs, note.one, note.many));
    if (const int runs = runsWith(comparison, "nan"); runs > 0)
        notes.push_back(counted(runs, "run had a loss that was not a number", "runs had a loss that was not a number") +
                        (comparison.nanKept ? " and kept" : " and left out"));
    if (const int runs = runsWith(comparison, "short"); runs > 0)
        notes.push_back(counted(runs, "run was", "runs were") +
                        fmt::format(" measured for less than {} s or {} iterations", stats::kLeastSeconds,
                                    stats::kLeastIterations));
    return notes;
}

std::vector<std::string> disturbedNotes(const Comparison& comparison)
{
    std::vector<std::string> keys, notes;
    if (comparison.noOtherwise)
        notes.push_back(fmt::format("{} disturbed runs there is no result: {}",
                                    comparison.disturbedLeftOut ? "with" : "without", *comparison.noOtherwise));
    for (const spec::Factor& factor : comparison.factors)
        keys.push_back(factor.key);
    for (const Group& group : comparison.groups) {
        if (!group.otherwise)
            continue;
        const int decimals = columnDecimals({measureOf(group, comparison.show), group.otherwise->measure});
        const auto text = [&](const Measure& measure) {
            return measure.value ? formatNumber(*measure.value, decimals) : std::string("no result");
        };
        notes.push_back(fmt::format(
            "{}: {} {} disturbed runs (n = {}), {} {} them (n = {})", labelFor(comparison, group, keys),
            text(measureOf(group, comparison.show)), comparison.disturbedLeftOut ? "without" : "with", group.n(),
            text(group.otherwise->measure), comparison.disturbedLeftOut ? "with" : "without", group.otherwise->n));
    }
    return notes;
}

} // namespace ringside::report
