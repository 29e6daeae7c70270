// SPDX-License-Identifier: GPL-3.0-or-later
// plans: the built-in aggregation plans, what they do and where their numbers come from, and the parts that others are
// put together from. Needs no store.
#include "app/cli/commands.h"
#include "core/base/sequences.h"

#include "app/cli/json.h"
#include "app/cli/output.h"
#include "core/base/words.h"
#include "core/spec/plans.h"
#include "core/spec/plantoml.h"

#include <fmt/ranges.h>

namespace ringside::cli {

namespace {

using spec::BuiltInPlan;

Json jsonOf(const BuiltInPlan& builtIn)
{
    Json sources = Json::array();
    for (const spec::PlanSource& source : builtIn.sources)
        sources.push_back({{"what", source.what}, {"value", source.value}, {"where", source.where}});
    return {{"name", builtIn.plan.name},       {"sentence", builtIn.description},
            {"parts", partsOf(builtIn.plan)},  {"composition", spec::sentenceOf(builtIn.plan)},
            {"exact", builtIn.plan.isExact()}, {"differs", textOrNull(builtIn.differs)},
            {"sources", std::move(sources)}};
}

/// One word of a part.
struct Choice
{
    const char* part; ///< "grouping"
    spec::PlanPart word;
    std::string written; ///< the text behind the equals sign, its settings with their defaults: "{ buckets = … }"
};

std::string writtenIn(const AggregationPlan& plan, std::string_view key, std::string_view word)
{
    for (const auto& [name, text] : spec::planLines(plan))
        if (name == key)
            return text;
    return spec::quotedToml(word);
}

template <class Parts, class Part>
void addChoices(std::vector<Choice>& choices, const char* name, const Parts& words, Part AggregationPlan::*member)
{
    for (const Part each : words) {
        AggregationPlan plan = spec::builtInPlans().front().plan;
        plan.*member = each;
        if (plan.collective != Collective::none) // that of a single rank
            choices.push_back({name, spec::partOf(each), writtenIn(plan, name, nameOf(each))});
    }
}

std::vector<Choice> allChoices()
{
    std::vector<Choice> choices;
    addChoices(choices, "collective", kCollectives, &AggregationPlan::collective);
    addChoices(choices, "grouping", kGroupings, &AggregationPlan::grouping);
    addChoices(choices, "schedule", kSchedules, &AggregationPlan::schedule);
    addChoices(choices, "compression", kCompressions, &AggregationPlan::compression);
    return choices;
}

void printParts()
{
    std::vector<std::vector<std::string>> rows;
    for (const Choice& choice : allChoices())
        rows.push_back({choice.part, std::string(choice.word.name), std::string(choice.word.sentence),
                        choice.written.starts_with('{') ? choice.written : ""});
    printTable({{"Part"}, {"Word"}, {"What it does"}, {"With settings"}}, rows);
}

Json jsonOfParts()
{
    Json json = Json::array();
    for (const Choice& choice : allChoices())
        json.push_back({{"part", choice.part},
                        {"word", choice.word.name},
                        {"sentence", choice.word.sentence},
                        {"written", choice.written}});
    return json;
}

void printAll()
{
    std::vector<std::vector<std::string>> rows = mapped(spec::builtInPlans(), [&](const BuiltInPlan& builtIn) {
        return std::vector<std::string>{builtIn.plan.name, std::string(builtIn.description)};
    });
    printTable({{"Plan"}, {"What it does"}}, rows);
    printText("\nThe parts of a plan of your own, [plans.NAME] in an experiment file:\n");
    printParts();
}

void printOne(const BuiltInPlan& builtIn)
{
    printText("{}\n{}\n", builtIn.plan.name, builtIn.description);
    printText("{}\n", spec::sentenceOf(builtIn.plan));
    if (!builtIn.differs.empty())
        printText("note: {}\n", builtIn.differs);
    std::vector<std::vector<std::string>> rows = mapped(builtIn.sources, [&](const spec::PlanSource& source) {
        return std::vector<std::string>{std::string(source.what), std::string(source.value), std::string(source.where)};
    });
    if (!rows.empty())
        printTable({{"Documented"}, {"Value"}, {"Source"}}, rows);
}

Error noSuchPlan(const std::string& name)
{
    std::vector<std::string> known =
        mapped(spec::builtInPlans(), [&](const BuiltInPlan& builtIn) { return builtIn.plan.name; });
    const auto meant = closestWord(name, known);
    return {ErrorCode::usage, fmt::format("There is no built-in plan “{}”.", plainText(name)),
            meant ? fmt::format("Did you mean “{}”?", *meant) : fmt::format("There are: {}.", fmt::join(known, ", "))};
}

} // namespace

Exit plans(const Context& context, const PlansOptions& options)
{
    const std::string& name = options.name;
    const BuiltInPlan* only = name.empty() ? nullptr : spec::findBuiltInPlan(name);
    if (!name.empty() && !only)
        return report(noSuchPlan(name));
    if (!context.json) {
        options.parts ? printParts() : only ? printOne(*only) : printAll();
        return Exit::done;
    }
    if (options.parts) {
        print(jsonOfParts());
        return Exit::done;
    }
    Json json = Json::array();
    for (const BuiltInPlan& builtIn : spec::builtInPlans())
        if (!only || only == &builtIn)
            json.push_back(jsonOf(builtIn));
    print(json);
    return Exit::done;
}

} // namespace ringside::cli
