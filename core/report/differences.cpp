// SPDX-License-Identifier: MIT
#include "core/report/differences.h"

#include "core/base/sequences.h"
#include "core/report/comparedkind.h"
#include "core/report/figurewords.h"
#include "core/report/layout.h"
#include "core/report/software.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

/// Limit for an image or a processor's name; more is not read in a caption.
constexpr std::size_t kLongestLevel = 60;

/// Limit of the kinds of a fact that are named.
constexpr std::size_t kMostKinds = 3;

bool isFact(std::string_view name)
{
    return !spec::findSetting(name);
}

std::string nameText(const std::string& name)
{
    std::string text = isFact(name) ? name : std::string(spec::labelOf(name));
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

std::vector<std::string> namesOf(const std::vector<std::string>& keys)
{
    std::vector<std::string> names;
    std::ranges::transform(keys, std::back_inserter(names), nameText);
    return names;
}

struct Sides
{
    std::set<std::string> base, others;
};

std::map<std::string, Sides> sidesOf(const Comparison& comparison)
{
    std::map<std::string, Sides> sides;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            for (const auto& [name, levels] : group.differs) {
                sides[name].base.insert(differenceLevelText(name, levels.first));
                sides[name].others.insert(differenceLevelText(name, levels.second));
            }
    return sides;
}

} // namespace

std::string differenceLevelText(const std::string& name, const std::optional<Value>& level)
{
    if (!level)
        return "not said";
    return cutText(isFact(name) ? toText(*level) : spec::labelOf(name, *level), kLongestLevel);
}

std::string differencesText(const Group& group)
{
    return joined(group.differs, "; ", [](const auto& difference) {
        const auto& [name, levels] = difference;
        return fmt::format("{} {}, here {}", nameText(name), differenceLevelText(name, levels.first),
                           differenceLevelText(name, levels.second));
    });
}

std::string differencesText(const Comparison& comparison)
{
    if (!comparison.kind->isRatio())
        return {};
    std::vector<std::string> parts;
    for (const auto& [name, sides] : sidesOf(comparison))
        parts.push_back(fmt::format("{} (base case: {}; others: {})", nameText(name), fmt::join(sides.base, ", "),
                                    fmt::join(sides.others, ", ")));
    return enumerate(parts);
}

std::vector<std::string> pooledNotes(const Comparison& comparison)
{
    const std::vector<std::string> factors = mapped(comparison.factors, &spec::Factor::key);
    std::map<std::string, std::vector<std::string>> cells;
    std::map<std::string, std::set<std::string>> kinds;
    for (const Group& group : comparison.groups)
        for (const auto& [fact, values] : group.facts)
            if (values.size() > 1 && !isOfSystem(fact, group.settings)) {
                cells[fact].push_back(labelFor(comparison, group, factors));
                kinds[fact].insert(values.begin(), values.end());
            }
    return mapped<std::string>(cells, [&](const auto& entry) {
        std::set<std::string> all; // some may differ behind what is shown
        for (const std::string& value : kinds[entry.first])
            all.insert(differenceLevelText(entry.first, Value(value)));
        const std::size_t count = kinds[entry.first].size();
        const std::string where = entry.second.front().empty() ? "" : " of " + firstAndCount(entry.second);
        return fmt::format("{} is not the same in all runs{}: {}", nameText(entry.first), where,
                           count > kMostKinds || all.size() < count ? fmt::format("{} kinds", count)
                                                                    : enumerate({all.begin(), all.end()}));
    });
}

nlohmann::ordered_json differencesToJson(const spec::Differences& differences)
{
    using Json = nlohmann::ordered_json;
    const auto side = [](const std::optional<Value>& value) {
        return value ? Json(ringside::toJson(*value)) : Json(nullptr);
    };
    Json json = Json::object();
    for (const auto& [name, values] : differences)
        json[name] = {side(values.first), side(values.second)};
    return json;
}

std::vector<std::string> keysOf(const spec::Differences& differences)
{
    std::vector<std::string> keys;
    for (const auto& [key, levels] : differences)
        keys.push_back(key);
    return keys;
}

std::string differingNames(const spec::Differences& differences)
{
    return enumerate(namesOf(keysOf(differences)));
}

std::string differsToo(const std::vector<std::string>& keys)
{
    return "differs in " + enumerate(namesOf(keys)) + ", too";
}

std::string shownName(const std::string& key)
{
    const std::string shown = spec::shownLabelOf(key);
    return isFact(key) || shown == spec::labelOf(key) ? nameText(key) : shown;
}

std::string differingNames(const Comparison& comparison)
{
    if (!comparison.kind->isRatio())
        return {};
    std::vector<std::string> names;
    for (const auto& [name, sides] : sidesOf(comparison))
        names.push_back(nameText(name));
    return enumerate(names);
}

} // namespace ringside::report
