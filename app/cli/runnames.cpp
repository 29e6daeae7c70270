// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runnames.h"

#include "core/base/sequences.h"
#include "core/jobs/programs/table.h"
#include "core/report/distinguishing.h"
#include "core/report/names.h"

#include <fmt/format.h>

namespace ringside::cli {

RunNames::RunNames(const std::vector<store::RunRow>& runs)
{
    std::map<std::string, std::vector<const Settings*>> byExperiment;
    for (const store::RunRow& run : runs)
        byExperiment[run.experiment].push_back(&*run.settings);
    for (const auto& [experiment, settings] : byExperiment)
        m_distinguishing.emplace(experiment, report::namingSettings(settings));
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
