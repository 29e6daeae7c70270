// SPDX-License-Identifier: MIT
#include "core/jobs/jobscript.h"

#include "core/base/shellquote.h"
#include "core/base/words.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cctype>

namespace ringside::jobs {

namespace {

std::string preparation(const Surroundings& surroundings)
{
    std::string text;
    for (const auto& file : surroundings.sourcedFiles)
        text += fmt::format(". {} || exit 69\n", shellQuote(file));
    for (const auto& name : surroundings.modules)
        text += fmt::format("module load {} || exit 69\n", shellQuote(name));
    for (const auto& [name, value] : surroundings.variables)
        text += fmt::format("export {}={}\n", name, shellQuote(value));
    return text;
}

tl::unexpected<Error> refuse(std::string_view field, std::string_view why)
{
    return fail(ErrorCode::usage, fmt::format("{}: {}", field, why));
}

bool isVariableName(std::string_view name)
{
    const auto isPart = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), isPart);
}

bool isOneLine(std::string_view text)
{
    return text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos;
}

Result<void> check(const Surroundings& surroundings)
{
    for (const auto& name : surroundings.modules)
        if (name.empty() || name.front() == '-' || !isOneLine(name))
            return refuse("modules", Words::tr("“{}” cannot be the name of a module.", plainText(name)));
    for (const auto& file : surroundings.sourcedFiles)
        if (!file.starts_with('/') || !isOneLine(file))
            return refuse("sourced_files", Words::tr("“{}” is no absolute path.", plainText(file)));
    for (const auto& [name, value] : surroundings.variables)
        if (!isVariableName(name) || !isOneLine(value))
            return refuse("variables", Words::tr("“{}” cannot be set: letters, digits and underscores make a name, "
                                                 "and a value is one line.",
                                                 plainText(name)));
    return {};
}

/// In patterns of file names schedulers read a backslash in ways of their own, or drop it.
Result<void> check(const SitePaths& paths)
{
    for (const fs::path& path : {paths.root, paths.agent})
        if (!path.is_absolute() || !isOneLine(path.string()) || path.string().find('\\') != std::string::npos)
            return refuse("root", Words::tr("{} cannot be used in a job: an absolute path without line breaks and "
                                            "backslashes is needed.",
                                            plainText(path.string())));
    return {};
}

} // namespace

Result<ScriptParts> scriptParts(const CampaignPlan& plan, const SitePaths& paths, const Surroundings& surroundings)
{
    TRY(check(surroundings));
    TRY(check(paths));
    const fs::path campaign = layout::campaignFolder(paths.root, plan.campaign);
    // A login shell knows the command `module`; without modules any shell will do.
    return ScriptParts{
        surroundings.modules.empty() ? "#!/bin/sh\n" : "#!/bin/bash -l\n",
        "umask 077\n" + preparation(surroundings) +
            fmt::format("exec {} run {}\n", shellQuote(paths.agent.string()), shellQuote(campaign.string()))};
}

} // namespace ringside::jobs
