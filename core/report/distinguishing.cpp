// SPDX-License-Identifier: MIT
#include "core/report/distinguishing.h"

#include "core/base/sequences.h"
#include "core/jobs/programs/table.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ringside::report {
namespace {

using Runs = std::vector<const Settings*>;

std::optional<Value> levelOf(const Settings& settings, const std::string& key)
{
    const Value* level = valueOf(settings, key);
    return level ? std::optional(*level) : std::nullopt;
}

bool differ(const Runs& runs, const std::string& key)
{
    const auto isAnother = [&](const Settings* run) { return levelOf(*run, key) != levelOf(*runs.front(), key); };
    return std::ranges::any_of(runs, isAnother);
}

/// Returns whether runs that agree in `keys` differ in `key`.
bool tellsApart(const std::string& key, const std::vector<std::string>& keys, const Runs& runs)
{
    std::map<std::vector<std::optional<Value>>, std::optional<Value>> levels;
    for (const Settings* run : runs) {
        std::vector<std::optional<Value>> place;
        for (const std::string& other : keys)
            place.push_back(levelOf(*run, other));
        const auto level = levelOf(*run, key);
        if (levels.try_emplace(std::move(place), level).first->second != level)
            return true;
    }
    return false;
}

/// In which order they are asked: the plan and the shape of a world follow from its ranks, not these from those, and an
/// engine decides which settings there are.
std::vector<std::string> candidates(const Runs& runs)
{
    std::vector<std::string> keys = {"model", "ranks", "engine", "plan"};
    std::set<std::string> others;
    for (const Settings* run : runs)
        for (const auto& [key, level] : *run)
            if (!contains(keys, key))
                others.insert(key);
    keys.insert(keys.end(), others.begin(), others.end());
    return keys;
}

} // namespace

std::vector<std::string> distinguishingSettings(const std::vector<const Settings*>& runs)
{
    std::vector<std::string> telling;
    for (const std::string& key : candidates(runs))
        if (differ(runs, key) && tellsApart(key, telling, runs))
            telling.push_back(key);
    const auto place = [](const std::string& key) {
        const spec::Setting* setting = spec::findSetting(key);
        return setting ? setting - spec::schema().data() : static_cast<std::ptrdiff_t>(spec::schema().size());
    };
    std::ranges::stable_sort(telling, [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return telling;
}

std::vector<std::string> namingSettings(const std::vector<const Settings*>& runs)
{
    std::vector<std::string> keys = distinguishingSettings(runs);
    std::vector<const Settings*> training = runs;
    std::erase_if(training, [](const Settings* run) { return !jobs::programOf(*run).trains(); });
    if (!training.empty() && differ(training, "engine") && !contains(keys, "engine"))
        keys.insert(keys.begin(), "engine");
    return keys;
}

} // namespace ringside::report
