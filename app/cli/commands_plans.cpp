// SPDX-License-Identifier: GPL-3.0-or-later
// plans: the built-in aggregation plans, what they do and where their numbers come from. Needs no store.
#include "app/cli/commands.h"

#include "app/cli/json.h"
#include "app/cli/output.h"
#include "core/base/words.h"
#include "core/spec/plans.h"

#include <fmt/ranges.h>

namespace ringside::cli {

namespace {

using spec::BuiltInPlan;

Json jsonOf(const BuiltInPlan& builtIn)
{
    Json sources = Json::array();
    for (const spec::PlanSource& source : builtIn.sources)
        sources.push_back({{"what", source.what}, {"value", source.value}, {"where", source.where}});
    const Json differs = builtIn.differs.empty() ? Json(nullptr) : Json(builtIn.differs);
    return {{"name", builtIn.plan.name},       {"sentence", builtIn.description},
            {"parts", partsOf(builtIn.plan)},  {"composition", spec::sentenceOf(builtIn.plan)},
            {"exact", builtIn.plan.isExact()}, {"differs", differs},
            {"sources", std::move(sources)}};
}

void printAll()
{
    std::vector<std::vector<std::string>> rows;
    for (const BuiltInPlan& builtIn : spec::builtInPlans())
        rows.push_back({builtIn.plan.name, std::string(builtIn.description)});
    printTable({{"Plan"}, {"What it does"}}, rows);
}

void printOne(const BuiltInPlan& builtIn)
{
    fmt::print("{}\n{}\n", builtIn.plan.name, builtIn.description);
    fmt::print("{}\n", spec::sentenceOf(builtIn.plan));
    if (!builtIn.differs.empty())
        fmt::print("note: {}\n", builtIn.differs);
    std::vector<std::vector<std::string>> rows;
    for (const spec::PlanSource& source : builtIn.sources)
        rows.push_back({std::string(source.what), std::string(source.value), std::string(source.where)});
    if (!rows.empty())
        printTable({{"Documented"}, {"Value"}, {"Source"}}, rows);
}

Error noSuchPlan(const std::string& name)
{
    std::vector<std::string> known;
    for (const BuiltInPlan& builtIn : spec::builtInPlans())
        known.push_back(builtIn.plan.name);
    const auto meant = closestWord(name, known);
    return {ErrorCode::usage, fmt::format("There is no built-in plan “{}”.", plainText(name)),
            meant ? fmt::format("Did you mean “{}”?", *meant) : fmt::format("There are: {}.", fmt::join(known, ", "))};
}

} // namespace

Exit plans(const Context& context, const std::string& name)
{
    const BuiltInPlan* only = name.empty() ? nullptr : spec::findBuiltInPlan(name);
    if (!name.empty() && !only)
        return report(noSuchPlan(name));
    if (!context.json) {
        only ? printOne(*only) : printAll();
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
