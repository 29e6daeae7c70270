// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runnames.h"

#include "core/base/sequences.h"
#include "core/jobs/programs/table.h"
#include "core/report/distinguishing.h"
#include "core/report/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside::cli {

namespace {

/// The engine is named wherever it varies, also where models or ranks happen to distinguish the runs without it.
std::vector<std::string> tellingSettings(const std::vector<const Settings*>& runs)
{
    std::vector<std::string> keys = report::distinguishingSettings(runs);
    const auto engineOf = [](const Settings* run) { return textOf(*run, "engine"); };
    const bool doEnginesVary =
        std::ranges::any_of(runs, [&](const Settings* run) { return engineOf(run) != engineOf(runs.front()); });
    if (doEnginesVary && !contains(keys, "engine"))
        keys.insert(keys.begin(), "engine");
    return keys;
}

} // namespace

RunNames::RunNames(const std::vector<store::RunRow>& runs)
{
    std::map<std::string, std::vector<const Settings*>> byExperiment;
    for (const store::RunRow& run : runs)
        byExperiment[run.experiment].push_back(&*run.settings);
    for (const auto& [experiment, settings] : byExperiment)
        m_distinguishing.emplace(experiment, tellingSettings(settings));
}

std::string RunNames::configuration(const store::RunRow& run) const
{
    std::vector<std::string> keys = {"model", "plan", "ranks"};
    if (!jobs::programOf(run.settings).trains())
        keys = {"engine", "ranks"}; // nothing is trained
    if (const auto telling = m_distinguishing.find(run.experiment); telling != m_distinguishing.end())
        for (const std::string& key : telling->second)
            if (!contains(keys, key))
                keys.push_back(key);
    std::string text;
    for (const std::string& key : keys)
        if (const std::string level = report::levelText(key, run.settings); !level.empty())
            text += (text.empty() ? "" : " · ") + level;
    return text;
}

std::string RunNames::describe(const store::RunRow& run) const
{
    return fmt::format("run {} · {} · repeat {}", run.number, configuration(run), run.repeat);
}

} // namespace ringside::cli
