// SPDX-License-Identifier: MIT
#include "core/jobs/attempts/localscript.h"

#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace ringside::jobs {

namespace {

/// Names come from people: in a comment they stay on its line.
std::string onOneLine(const std::string& words)
{
    std::string text = plainText(words);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::string comment(const std::string& text)
{
    return fmt::format("# {}\n", onOneLine(text));
}

/// Settings in words, made once for all runs of a configuration.
class SettingsTexts
{
public:
    const std::string& of(const RunSpec& run)
    {
        const auto [place, isNew] = m_texts.try_emplace(run.configurationKey);
        if (isNew)
            place->second = onOneLine(inWords(run.settings));
        return place->second;
    }

private:
    static std::string inWords(const Settings& settings)
    {
        std::string text;
        for (const auto& [key, value] : settings)
            text += fmt::format(" {}={}", key, toText(value));
        return text;
    }

    std::unordered_map<std::string_view, std::string> m_texts;
};

/// Options begin a new line, so that a command of twenty words can be read.
void addWords(std::string& text, const std::vector<std::string>& arguments)
{
    bool isFirst = true, options = true;
    for (const std::string& argument : arguments) {
        const bool breaks = options && argument.starts_with("--");
        if (!std::exchange(isFirst, false))
            text += breaks ? " \\\n    " : " ";
        text += shellQuote(argument);
        options = options && argument != "--";
    }
}

Result<void> addRun(std::string& text, const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                    const std::string& mpirunVersion, SettingsTexts& settings)
{
    AttemptPlace place;
    place.temporaryFolder = fmt::format("/tmp/ringside-{}-1", run.id.str().substr(0, 8));
    place.mpirunVersion = mpirunVersion;
    const auto refused = [](const Reason& reason) { return Error{ErrorCode::usage, sentenceOf(reason), {}}; };
    TRY_ASSIGN(const AttemptCommand command, attemptCommand(plan, run, paths, place).map_error(refused));
    const std::string attempt = shellQuote(layout::attemptFolder(paths.root, run.id, place.number).string());
    const std::string temporary = shellQuote(place.temporaryFolder.string());
    const std::string pipe = shellQuote(controlPipe(place.temporaryFolder).string());
    fmt::format_to(std::back_inserter(text), "\n# Run {}, repeat {}:{}\n", run.number, run.repeat, settings.of(run));
    fmt::format_to(std::back_inserter(text), "mkdir -p {} {}\nmkfifo {}\nexec 3<>{}\nenv", attempt, temporary, pipe,
                   pipe);
    for (const auto& [name, value] : command.environment)
        fmt::format_to(std::back_inserter(text), " {}={}", name, shellQuote(value));
    text += " \\\n  ";
    addWords(text, command.arguments);
    fmt::format_to(std::back_inserter(text), "\nexec 3>&-\nrm -r {}\n", temporary);
    return {};
}

} // namespace

Result<std::string> localScript(const CampaignPlan& plan, const SitePaths& paths, const std::string& mpirunVersion)
{
    std::string text = "#!/bin/sh\n";
    text += comment(fmt::format("{}: {} runs, one after the other.", plan.experiment, plan.runs.size()));
    text += comment(
        "These are the very commands that Ringside executes for the first attempt of each run. It carries them");
    text += comment("out itself, watches heartbeats and limits, and begins again what was lost.");
    text += "set -eu\numask 077\n";
    SettingsTexts settings;
    for (const RunSpec& run : plan.runs)
        TRY(addRun(text, plan, run, paths, mpirunVersion, settings));
    return text;
}

} // namespace ringside::jobs
