// SPDX-License-Identifier: MIT
#include "core/jobs/script.h"

#include "core/base/text.h"
#include "core/jobs/quote.h"
#include "core/protocol/layout.h"

#include <algorithm>

namespace ringside::jobs {

namespace {

/// Names come from people: in a comment they stay on its line.
std::string comment(std::string text)
{
    text = plainText(text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return fmt::format("# {}\n", text);
}

std::string describe(const RunSpec& run)
{
    std::string text = fmt::format("Run {}, repeat {}:", run.number, run.repeat);
    for (const auto& [key, value] : run.settings)
        text += fmt::format(" {}={}", key, toText(value));
    return text;
}

/// Options begin a new line, so that a command of twenty words can be read.
std::string words(const std::vector<std::string>& arguments)
{
    std::string text;
    bool options = true;
    for (const auto& argument : arguments) {
        const bool breaks = options && argument.starts_with("--") && !text.empty();
        text += (text.empty() ? "" : breaks ? " \\\n    " : " ") + shellQuote(argument);
        options = options && argument != "--";
    }
    return text;
}

std::string runLines(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths)
{
    AttemptPlace place;
    place.temporaryFolder = fmt::format("/tmp/ringside-{}-1", run.id.str().substr(0, 8));
    const AttemptCommand command = attemptCommand(plan, run, paths, place);
    const std::string attempt = layout::attemptFolder(paths.root, run.id, place.number).string();
    std::string text = fmt::format("\n{}", comment(describe(run)));
    text += fmt::format("mkdir -p {} {}\n", shellQuote(attempt), shellQuote(place.temporaryFolder.string()));
    text += fmt::format("mkfifo {}\n", shellQuote(controlPipe(place.temporaryFolder).string()));
    text += fmt::format("exec 3<>{}\n", shellQuote(controlPipe(place.temporaryFolder).string()));
    text += "env";
    for (const auto& [name, value] : command.environment)
        text += fmt::format(" {}={}", name, shellQuote(value));
    return text + " \\\n  " + words(command.arguments) + "\nexec 3>&-\n" +
           fmt::format("rm -r {}\n", shellQuote(place.temporaryFolder.string()));
}

} // namespace

std::string localScript(const CampaignPlan& plan, const SitePaths& paths)
{
    std::string text = "#!/bin/sh\n";
    text += comment(fmt::format("{}: {} runs, one after the other.", plan.experiment, plan.runs.size()));
    text += comment(
        "These are the very commands that Ringside executes for the first attempt of each run. It carries them");
    text += comment("out itself, watches heartbeats and limits, and begins again what was lost.");
    text += "set -eu\numask 077\n";
    for (const auto& run : plan.runs)
        text += runLines(plan, run, paths);
    return text;
}

} // namespace ringside::jobs
