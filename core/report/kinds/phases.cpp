// SPDX-License-Identifier: MIT
// The time of an iteration by phases: a stack of them for each configuration.
#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/caveats.h"
#include "core/report/conditions.h"
#include "core/report/csv.h"
#include "core/report/figurewords.h"
#include "core/report/flagnotes.h"
#include "core/report/kinds/kinds.h"
#include "core/report/kinds/phasedesigns.h"
#include "core/report/names.h"
#include "core/report/tableparts.h"
#include "core/spec/systems.h"
#include "core/stats/interval.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

constexpr std::size_t kMostNamed = 3; ///< configurations that a note names

class PhaseStacks : public ComparedKind
{
public:
    constexpr PhaseStacks()
        : ComparedKind("phases", Words::noop("Phases"))
    {
    }

    bool showsPhases() const override { return true; }
    /// Its table has many columns; beside it in the window, a note names failed attempts.
    bool tabulatesFailed() const override { return false; }
    Measure measureOf(const Group& group) const override;
    std::string_view unitOf(const Comparison&) const override { return "ms"; }
    IntervalKind interval() const override { return {"lowest to highest run", std::nullopt}; }
    Result<void> check(const Comparison&, const spec::Experiment&) const override { return {}; }
    void addTo(nlohmann::ordered_json& json, const Group& group) const override;

    void draw(const Comparison& comparison, const Layout& layout, FigureData& figure) const override;
    Table table(const Comparison& comparison, const Layout& layout, const NumberStyle& style) const override;
    std::vector<PrintedPanel> printed(const FigureData& figure) const override;

    std::string titleOf(const Comparison&, const std::string& what) const override
    {
        return "Where an iteration of " + what + " spends its time";
    }
    std::string_view quantity() const override { return "Mean time per iteration by phase"; }
    std::vector<std::string> keyNotes(const Comparison&) const override { return {"whisker: lowest to highest run"}; }
    std::string marksText(const Comparison& drawn, const FigureData& figure) const override;
    std::vector<std::string> notes(const Comparison& comparison, const FigureData& figure) const override;
    std::string spoken(const Comparison& comparison, const Layout& layout, const FigureData& figure) const override;
};

constinit const PhaseStacks phaseStacks;

/// ms of a part; absent where it is not reported.
std::optional<double> msOf(PhasePart part, const stats::PhaseMeans& phases, PhaseSet told)
{
    if (!hasPart(told, part))
        return std::nullopt;
    return phases[static_cast<std::size_t>(part.phase)];
}

/// ms of what runs beside the compute thread; absent where that is not reported.
std::optional<double> besideMs(double ms, const Group& group)
{
    return spec::isOwnWorker(group.settings) ? std::optional(ms) : std::nullopt;
}

/// Absent where it is not reported how much of communication is exposed, too.
std::optional<double> hiddenMs(const Group& group)
{
    return group.iteration.told.has(Phase::commExposed) ? besideMs(group.iteration.hiddenCommunication(), group)
                                                        : std::nullopt;
}

/// ms of the mean iteration of each run.
std::vector<double> lengthsOf(const Group& group)
{
    return mapped(group.iterations, &stats::MeanIteration::length);
}

/// The mean iteration, from the lowest to the highest run where there are enough.
Measure PhaseStacks::measureOf(const Group& group) const
{
    if (group.iterations.empty())
        return {};
    Measure measure{group.iteration.length(), std::nullopt, std::nullopt};
    if (group.n() >= stats::kLeastRuns) {
        const auto [low, high] = std::ranges::minmax(lengthsOf(group));
        measure.low = low;
        measure.high = high;
    }
    return measure;
}

/// Adds parts of a mean iteration and, beside them, what is no part of their sum; null where nothing was measured or
/// reported.
void PhaseStacks::addTo(nlohmann::ordered_json& json, const Group& group) const
{
    using Json = nlohmann::ordered_json;
    const auto measured = [&](std::optional<double> ms) { return group.n() > 0 && ms ? Json(*ms) : Json(nullptr); };
    const stats::MeanIteration& iteration = group.iteration;
    json["phases"] = Json::object();
    for (const PhasePart part : partsOf(iteration.told))
        json["phases"][std::string(nameOf(part))] = measured(msOf(part, iteration.phases, iteration.told));
    json["hidden"] = measured(hiddenMs(group));
    json["background"] = {{"comm_total", measured(besideMs(iteration.communication, group))},
                          {"read", measured(besideMs(iteration.read, group))},
                          {"decode", measured(besideMs(iteration.decode, group))}};
    json["against_design"] = designToJson(group);
}

// ---- drawing

/// Keys that name a stack: all that differs within a panel.
std::vector<std::string> stackKeys(const Layout& layout)
{
    std::vector<std::string> keys = layout.seriesKeys();
    if (!layout.x.empty())
        keys.push_back(layout.x);
    return keys;
}

Stack stackOf(const Comparison& comparison, const Group& group, const Layout& layout)
{
    const std::vector<std::string> keys = stackKeys(layout);
    Stack stack;
    stack.label = keys.empty() ? ranksText(group.settings) : labelFor(comparison, group, keys);
    stack.tick = keys.empty() ? stack.label : bareLabelFor(comparison, group, keys);
    stack.phases = group.iteration.phases;
    stack.told = group.iteration.told;
    stack.total = group.iteration.length();
    const auto [low, high] = std::ranges::minmax(lengthsOf(group));
    stack.low = low;
    stack.high = high;
    stack.hiddenCommunication = hiddenMs(group);
    stack.read = besideMs(group.iteration.read, group);
    stack.decode = besideMs(group.iteration.decode, group);
    stack.n = group.n();
    stack.failed = group.failed;
    stack.disturbed = group.disturbed;
    stack.flags = flagsText(group);
    stack.runs = group.runs;
    stack.utilisation = utilisationOf(group);
    stack.origin = originOf(comparison, group);
    return stack;
}

/// In the order of points along x; within a place in the order of the experiment.
Stacks::Panel panelOf(const Comparison& comparison, const Layout& layout, const PanelGroups& dealt)
{
    std::vector<const Group*> groups = dealt.groups;
    std::erase_if(groups, [](const Group* group) { return group->n() == 0; });
    if (!layout.x.empty())
        std::ranges::stable_sort(groups, [&](const Group* a, const Group* b) {
            return placeOf(comparison, *a, layout.x) < placeOf(comparison, *b, layout.x);
        });
    Stacks::Panel panel;
    panel.title = dealt.title;
    for (const Group* group : groups)
        panel.stacks.push_back(stackOf(comparison, *group, layout));
    return panel;
}

std::string stackAxisTitle(const Comparison& comparison, const Layout& layout)
{
    return joined(asDeclared(comparison, stackKeys(layout)), " · ",
                  [&](const std::string& key) { return factorTitle(comparison, key); });
}

void PhaseStacks::draw(const Comparison& comparison, const Layout& layout, FigureData& figure) const
{
    Stacks stacks;
    stacks.x.title = "Time per iteration (ms)";
    stacks.y.title = stackAxisTitle(comparison, layout);
    for (const PanelGroups& dealt : dealToPanels(comparison, layout)) {
        if (Stacks::Panel panel = panelOf(comparison, layout, dealt); !panel.stacks.empty())
            stacks.panels.push_back(std::move(panel));
        for (const Group* group : dealt.groups)
            if (group->n() == 0 && group->failed > 0)
                figure.failedCells.push_back({dealt.title, labelFor(comparison, *group, stackKeys(layout)), 0,
                                              group->failed, group->disturbed, originOf(comparison, *group)});
    }
    figure.drawing = std::move(stacks);
}

// ---- tables

PhaseSet toldByAll(const Comparison& comparison)
{
    PhaseSet told = PhaseSet::all();
    for (const Group& group : comparison.groups)
        told = told & group.iteration.told;
    return told;
}

std::vector<std::optional<double>> phaseValues(const Group& group, PhaseSet shown)
{
    const stats::MeanIteration& iteration = group.iteration;
    std::vector<std::optional<double>> values{iteration.length()};
    for (const PhasePart part : partsOf(shown))
        values.push_back(msOf(part, iteration.phases, iteration.told));
    values.push_back(besideMs(iteration.communication, group));
    values.push_back(hiddenMs(group));
    return values;
}

/// Share of hidden communication; absent where there is none, too.
std::optional<double> hiddenShare(const Group& group)
{
    const auto hidden = hiddenMs(group);
    const double all = group.iteration.communication;
    return hidden && all > 0 ? std::optional(*hidden / all) : std::nullopt;
}

/// Three digits of the shortest iteration, so that phases that are parts of it can be distinguished.
int decimalsFor(const std::vector<Measure>& totals)
{
    return std::max(1, columnDecimals(totals));
}

int decimalsOf(const Comparison& comparison)
{
    std::vector<Measure> totals;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            totals.push_back({group.iteration.length(), std::nullopt, std::nullopt});
    return decimalsFor(totals);
}

Table PhaseStacks::table(const Comparison& comparison, const Layout& layout, const NumberStyle& style) const
{
    const PhaseSet told = toldByAll(comparison);
    Table table = startTable(comparison, layout);
    table.columns.push_back({Words::noop("Iteration, ms"), true, false, axisCaveats(caveatsOf(comparison))});
    for (const PhasePart part : partsOf(told))
        table.columns.push_back({std::string(wordsOf(part).heading), true});
    for (const char* title : {Words::noop("Comm. total"), Words::noop("Hidden"), Words::noop("Hidden share")})
        table.columns.push_back({title, true});
    table.note =
        Words::noop("ms per iteration: mean over steady iterations, ranks and runs; exposed: slower ranks are waited "
                    "for, too");
    const int decimals = decimalsOf(comparison);
    for (const std::size_t index :
         rowOrder(comparison, layout, [](const Group&, int panel, int place) { return std::pair(panel, place); })) {
        const Group& group = comparison.groups[index];
        TableRow row = startRow(comparison, index, layout, style);
        for (const auto& value : phaseValues(group, told))
            row.cells.push_back(numberCell(group.n() > 0 ? value : std::nullopt, decimals, style));
        row.cells.push_back(percentCell(hiddenShare(group), 0, style));
        table.rows.push_back(std::move(row));
    }
    addDesigns(table, comparison, style);
    addMarks(table, comparison);
    return table;
}

int decimalsOf(const std::vector<Stack>& stacks)
{
    return decimalsFor(mapped(stacks, [](const Stack& stack) {
        return Measure{stack.total, std::nullopt, std::nullopt};
    }));
}

std::vector<Utilised> toldUtilisations(const Stacks& stacks)
{
    std::vector<Utilisation> all;
    for (const Stacks::Panel& panel : stacks.panels)
        for (const Stack& stack : panel.stacks)
            all.push_back(stack.utilisation);
    return toldByAny(all, std::identity());
}

std::vector<std::string> printedRow(const Stack& stack, const Stacks& stacks, int decimals)
{
    std::vector<std::string> cells{stack.label, stack.origin.version};
    const auto add = [&](std::optional<double> ms) { cells.push_back(ms ? formatNumber(*ms, decimals) : "–"); };
    for (const PhasePart part : partsOf(toldByAll(stacks)))
        add(msOf(part, stack.phases, stack.told));
    add(stack.total);
    cells.push_back(formatRange(stack.low, stack.high, decimals));
    add(stack.hiddenCommunication);
    if (loads(stacks))
        for (const auto& ms : {stack.read, stack.decode})
            add(ms);
    for (const Utilised what : toldUtilisations(stacks))
        cells.push_back(utilisationCell(stack.utilisation, what).text());
    for (const int count : {stack.n, stack.failed})
        cells.push_back(std::to_string(count));
    cells.push_back(stack.flags);
    return cells;
}

std::vector<TableColumn> printedColumns(const Stacks& stacks)
{
    std::vector<TableColumn> columns{{"ms per iteration"}, {"Version"}};
    for (const PhasePart part : partsOf(toldByAll(stacks)))
        columns.push_back({std::string(wordsOf(part).title), true});
    for (const char* title : {"Total", "Lowest – highest run"})
        columns.push_back({title, true});
    columns.push_back({std::string(kHiddenCommunication), true});
    if (loads(stacks))
        for (const std::string_view title : {kReading, kDecoding})
            columns.push_back({std::string(title), true});
    for (const Utilised what : toldUtilisations(stacks))
        columns.push_back({titleOf(what), true});
    for (const char* title : {"n", "Failed"})
        columns.push_back({title, true});
    columns.push_back({"Flags"});
    return columns;
}

std::vector<PrintedPanel> PhaseStacks::printed(const FigureData& figure) const
{
    const Stacks& stacks = std::get<Stacks>(figure.drawing);
    const std::vector<TableColumn> columns = printedColumns(stacks);
    std::vector<PrintedPanel> printed;
    for (const Stacks::Panel& panel : stacks.panels) {
        printed.push_back({panel.title, columns, {}});
        for (const Stack& stack : panel.stacks)
            printed.back().rows.push_back(printedRow(stack, stacks, decimalsOf(panel.stacks)));
    }
    for (const FailedCell& cell : figure.failedCells) {
        std::vector<std::string> row{cell.name, ""};
        row.resize(columns.size() - 3, "–");
        row.insert(row.end(), {"0", std::to_string(cell.failed), ""});
        panelNamed(printed, cell.panel, columns).rows.push_back(std::move(row));
    }
    return printed;
}

// ---- words

/// "24.0–40.2 ms", of the stacks that report it.
std::string spanText(const Stacks& stacks, std::optional<double> Stack::*time)
{
    double least = std::numeric_limits<double>::max(), most = 0;
    for (const Stacks::Panel& panel : stacks.panels)
        for (const Stack& stack : panel.stacks) {
            least = std::min(least, (stack.*time).value_or(least));
            most = std::max(most, (stack.*time).value_or(most));
        }
    const std::string from = formatShort(least), to = formatShort(most);
    return from == to ? to + " ms" : fmt::format("{}–{} ms", from, to);
}

/// "read for 0.4–3.1 ms and decode for 24.0–40.2 ms", from the least to the most of its stacks; empty where none loads.
std::string loadingText(const FigureData& figure)
{
    const Stacks& stacks = std::get<Stacks>(figure.drawing);
    return loads(stacks) ? fmt::format("read for {} and decode for {}", spanText(stacks, &Stack::read),
                                       spanText(stacks, &Stack::decode))
                         : std::string();
}

/// "phases that are not told of 2 CPU ranks · one are together in “Not told”"; empty where every stack reports all.
std::string notToldText(const FigureData& figure)
{
    std::vector<std::string> labels;
    for (const Stacks::Panel& panel : std::get<Stacks>(figure.drawing).panels)
        for (const Stack& stack : panel.stacks)
            if (!stack.told.hasAll() && !contains(labels, stack.label))
                labels.push_back(stack.label);
    if (labels.empty())
        return {};
    return fmt::format("phases that are not told of {} are together in “{}”",
                       labels.size() > kMostNamed ? fmt::format("{} configurations", labels.size()) : enumerate(labels),
                       wordsOf(kNotTold).title);
}

std::string PhaseStacks::marksText(const Comparison& drawn, const FigureData& figure) const
{
    const bool isHidden = hidesCommunication(std::get<Stacks>(figure.drawing));
    const std::string loading = loadingText(figure), notTold = notToldText(figure);
    return fmt::format(" Bars: means over steady iterations, then ranks, then independent runs ({}). Whiskers: lowest "
                       "to highest run.{}{}{}{}",
                       runsInWords(drawn), notTold.empty() ? "" : " " + sentenceOf(notTold),
                       isHidden ? " Strip below: communication hidden behind other phases, no part of the total." : "",
                       loading.empty() ? ""
                                       : fmt::format(" Beside the phases, no part of the total, loader threads {} an "
                                                     "iteration (times of all threads of a rank).",
                                                     loading),
                       designSentence(drawn));
}

std::vector<std::string> PhaseStacks::notes(const Comparison& comparison, const FigureData& figure) const
{
    std::vector<std::string> notes;
    if (std::string notTold = notToldText(figure); !notTold.empty())
        notes.push_back(std::move(notTold));
    if (const std::string loading = loadingText(figure); !loading.empty())
        notes.push_back("beside the phases, loader threads " + loading);
    for (std::string& note : designNotes(comparison))
        notes.push_back(std::move(note));
    return notes;
}

std::string spokenOf(const Stack& stack)
{
    const auto exposed = msOf(Phase::commExposed, stack.phases, stack.told);
    return fmt::format("{} {} ms, exposed communication {}", stack.label, formatShort(stack.total),
                       exposed ? formatShort(*exposed) + " ms" : "not told");
}

std::string PhaseStacks::spoken(const Comparison&, const Layout&, const FigureData& figure) const
{
    std::string text;
    for (const Stacks::Panel& panel : std::get<Stacks>(figure.drawing).panels) {
        text += panel.title.empty() ? " " : " " + panel.title + ": ";
        for (const Stack& stack : panel.stacks)
            text += (&stack == &panel.stacks.front() ? "" : "; ") + spokenOf(stack);
        text += ".";
    }
    return text;
}

} // namespace

const ComparedKind& kPhaseStacks = phaseStacks;

// ---- as a file

namespace {

/// The first stack; nullptr: nothing is drawn. All have the same names.
const Stack* firstOf(const Stacks& stacks)
{
    for (const Stacks::Panel& panel : stacks.panels)
        if (!panel.stacks.empty())
            return &panel.stacks.front();
    return nullptr;
}

csv::Fields csvHeader(const FigureData& figure, const Stacks& stacks)
{
    const Stack* first = firstOf(stacks);
    const Origin origin = first ? first->origin : firstOrigin(figure.failedCells);
    csv::Fields header;
    csv::addNames(header, origin.factors);
    for (const PhasePart part : partsOf(toldByAll(stacks)))
        header.push_back(std::string(nameOf(part)) + "_ms");
    csv::add(header, {"total_ms", "lowest_ms", "highest_ms", "comm_hidden_ms", "read_ms", "decode_ms"});
    csv::add(header, {"n", "failed", "disturbed"});
    csv::addNames(header, origin.conditions);
    return header;
}

csv::Fields csvFields(const Stack& stack, PhaseSet shown)
{
    csv::Fields fields;
    csv::addTexts(fields, stack.origin.factors);
    for (const PhasePart part : partsOf(shown))
        fields.push_back(csv::number(msOf(part, stack.phases, stack.told)));
    for (const double ms : {stack.total, stack.low, stack.high})
        fields.push_back(csv::number(ms));
    fields.push_back(csv::number(stack.hiddenCommunication));
    for (const auto& ms : {stack.read, stack.decode})
        fields.push_back(csv::number(ms));
    for (const int count : {stack.n, stack.failed, stack.disturbed})
        fields.push_back(std::to_string(count));
    csv::addTexts(fields, stack.origin.conditions);
    return fields;
}

csv::Fields csvFields(const FailedCell& cell, PhaseSet shown)
{
    constexpr std::size_t kOtherTimes = 6;
    csv::Fields fields;
    csv::addTexts(fields, cell.origin.factors);
    fields.resize(fields.size() + partsOf(shown).size() + kOtherTimes);
    csv::add(fields, {"0", std::to_string(cell.failed), std::to_string(cell.disturbed)});
    csv::addTexts(fields, cell.origin.conditions);
    return fields;
}

} // namespace

std::string Stacks::csv(const FigureData& figure) const
{
    std::string text = csv::line(csvHeader(figure, *this));
    for (const Panel& panel : panels)
        for (const Stack& stack : panel.stacks)
            text += csv::line(csvFields(stack, toldByAll(*this)));
    for (const FailedCell& cell : figure.failedCells)
        text += csv::line(csvFields(cell, toldByAll(*this)));
    return text;
}

} // namespace ringside::report
