// SPDX-License-Identifier: MIT
#include "core/report/kinds/phasedesigns.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/differences.h"
#include "core/report/tableparts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

constexpr std::size_t kMostNamed = 3; ///< configurations that notes and a caption name
constexpr const char* kFewRunsOfDesign = Words::noop("design n < 6");

const Measure& phaseOf(const AgainstDesign& against, Phase phase)
{
    return against.phases[static_cast<std::size_t>(phase)];
}

std::vector<const Group*> setAgainstDesigns(const Comparison& comparison)
{
    std::vector<const Group*> groups;
    for (const Group& group : comparison.groups)
        if (group.againstDesign)
            groups.push_back(&group);
    return groups;
}

// ---- table

TableCell designCell(const Comparison& comparison, const std::optional<AgainstDesign>& against)
{
    if (!against)
        return {"–", std::nullopt, false};
    TableCell cell{engineAndPlan(comparison, against->design), std::nullopt, false};
    cell.differs = keysOf(against->differs);
    return cell;
}

/// Two columns of one difference, of all rows.
template <class Of>
void addDifference(Table& table, const Comparison& comparison, const NumberStyle& style, std::string_view title,
                   const Of& of)
{
    const std::vector<Measure> all = mapped<Measure>(comparison.groups, [&](const Group& group) {
        return group.againstDesign ? of(*group.againstDesign) : Measure();
    });
    const int decimals = std::min(kMostDecimals, columnDecimals(all)); // a difference may be of nothing
    table.columns.push_back({std::string(title), true});
    table.columns.push_back({Words::noop("95 % interval"), true, true});
    for (TableRow& row : table.rows) {
        row.cells.push_back(numberCell(all[row.group].value, decimals, style));
        row.cells.push_back(
            intervalCell(comparison.groups[row.group], all[row.group], decimals, style, kFewRunsOfDesign));
    }
}

// ---- words

/// "+23.5", and "0.000" for what rounds to nothing.
std::string signedText(double ms, int decimals)
{
    const std::string text = formatNumber(ms, decimals);
    return ms > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" + text : text;
}

/// "+23.5 ms (+19.0 to +28.0)", "+23.5 ms (n < 6)".
std::string differenceText(const Measure& difference)
{
    const int decimals = std::min(kMostDecimals, columnDecimals({difference}));
    const auto text = [&](double ms) { return signedText(ms, decimals); };
    return fmt::format("{} ms ({})", text(*difference.value),
                       difference.low ? text(*difference.low) + " to " + text(*difference.high) : kFewRuns);
}

std::string nameOf(const Comparison& comparison, const Group& group)
{
    return labelFor(comparison, group, mapped(comparison.factors, &spec::Factor::key));
}

std::string designNote(const Comparison& comparison, const Group& group)
{
    const AgainstDesign& against = *group.againstDesign;
    std::string text = fmt::format(
        "{} against its design ({}), differences of medians with 95 % intervals: Iteration {}",
        nameOf(comparison, group), engineAndPlan(comparison, against.design), differenceText(against.iteration));
    for (const Phase phase : kPhases)
        if (const Measure& difference = phaseOf(against, phase); difference.value)
            text += fmt::format("; {} {}", wordsOf(phase).title, differenceText(difference));
    return against.differs.empty() ? text : text + "; it " + differsToo(keysOf(against.differs));
}

// ---- JSON

nlohmann::ordered_json toJson(const Measure& measure)
{
    using Json = nlohmann::ordered_json;
    const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(nullptr); };
    return {{"value", number(measure.value)}, {"low", number(measure.low)}, {"high", number(measure.high)}};
}

} // namespace

void addDesigns(Table& table, const Comparison& comparison, const NumberStyle& style)
{
    const std::vector<const Group*> groups = setAgainstDesigns(comparison);
    if (groups.empty())
        return;
    table.columns.push_back({Words::noop("Design"), false});
    for (TableRow& row : table.rows)
        row.cells.push_back(designCell(comparison, comparison.groups[row.group].againstDesign));
    addDifference(table, comparison, style, Words::noop("Iteration, difference"),
                  [](const AgainstDesign& against) { return against.iteration; });
    for (const Phase phase : kPhases)
        if (std::ranges::any_of(
                groups, [&](const Group* group) { return phaseOf(*group->againstDesign, phase).value.has_value(); }))
            addDifference(table, comparison, style, wordsOf(phase).difference,
                          [&](const AgainstDesign& against) { return phaseOf(against, phase); });
}

std::vector<std::string> designNotes(const Comparison& comparison)
{
    const std::vector<const Group*> groups = setAgainstDesigns(comparison);
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < std::min(groups.size(), kMostNamed); ++i)
        notes.push_back(designNote(comparison, *groups[i]));
    if (groups.size() > kMostNamed)
        notes.push_back(fmt::format("{} more configurations are set against their designs in the table",
                                    groups.size() - kMostNamed));
    return notes;
}

std::string designSentence(const Comparison& comparison)
{
    const std::vector<const Group*> groups = setAgainstDesigns(comparison);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(groups.size(), kMostNamed); ++i) {
        const AgainstDesign& against = *groups[i]->againstDesign;
        parts.push_back(fmt::format("{} {} against {}", nameOf(comparison, *groups[i]),
                                    differenceText(against.iteration), engineAndPlan(comparison, against.design)));
    }
    if (parts.empty())
        return {};
    const std::size_t more = groups.size() - parts.size();
    return fmt::format(" Median iteration against the design on Ringside's engine, with 95 % interval: {}{}.",
                       joined(parts, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

nlohmann::ordered_json designToJson(const Group& group)
{
    using Json = nlohmann::ordered_json;
    if (!group.againstDesign)
        return nullptr;
    const AgainstDesign& against = *group.againstDesign;
    Json json = {{"design", ringside::toJson(against.design)}, {"n", against.n}};
    json["differs"] = differencesToJson(against.differs);
    json["iteration"] = toJson(against.iteration);
    json["phases"] = Json::object();
    for (const Phase phase : kPhases) {
        const Measure& difference = phaseOf(against, phase);
        json["phases"][std::string(wordsOf(phase).name)] = difference.value ? toJson(difference) : Json(nullptr);
    }
    return json;
}

} // namespace ringside::report
