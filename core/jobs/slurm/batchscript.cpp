// SPDX-License-Identifier: MIT
#include "core/jobs/slurm/batchscript.h"

#include "core/base/words.h"
#include "core/jobs/quote.h"
#include "core/jobs/slurm/duration.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cctype>

namespace ringside::slurm {

namespace {

using jobs::shellQuote;

constexpr std::string_view kCommentPrefix = "ringside:";
constexpr std::size_t kMaxJobName = 60;

bool isPlain(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_-./").find(c) != std::string_view::npos;
}

/// Names come from people; a job's name is for lists.
std::string jobName(const std::string& experiment)
{
    std::string name = experiment.substr(0, kMaxJobName);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !isPlain(c) || c == '/'; }, '-');
    return name.empty() || name.front() == '-' ? "ringside" + name : name;
}

/// As sbatch reads the words of an #SBATCH line: a backslash keeps a quote as it is, but not a space outside of quotes.
std::string directiveWord(const std::string& text)
{
    if (std::all_of(text.begin(), text.end(), isPlain))
        return text;
    std::string word = "\"";
    for (const char c : text)
        word += c == '"' ? "\\\"" : std::string(1, c);
    return word + "\"";
}

/// A file name pattern that means this very path: a percent sign would begin a symbol.
std::string pattern(const fs::path& path)
{
    std::string text;
    for (const char c : path.string())
        text += c == '%' ? "%%" : std::string(1, c);
    return directiveWord(text);
}

std::string directive(std::string_view option)
{
    return fmt::format("#SBATCH {}\n", option);
}

void addIfSaid(std::vector<std::string>& options, const char* option, const std::string& value)
{
    if (!value.empty())
        options.push_back(fmt::format("{}={}", option, value));
}

std::string directives(const std::vector<std::string>& options)
{
    std::string text;
    for (const std::string& option : options)
        text += directive(option);
    return text;
}

std::string identity(const CampaignPlan& plan, const fs::path& campaign)
{
    return directive("--job-name=" + jobName(plan.experiment)) + directive("--comment=" + commentOf(plan.campaign)) +
           directive("--output=" + pattern(layout::runnerLog(campaign))) + directive("--open-mode=append") +
           directive("--requeue") + directive(fmt::format("--signal=B:USR1@{}", kWarningSeconds));
}

std::vector<std::string> resources(const SlurmSettings& settings)
{
    std::vector<std::string> options = whereOptions(settings);
    options.push_back("--time=" + formatDuration(settings.timeLimitSeconds));
    options.push_back(fmt::format("--nodes={}", settings.nodes));
    options.push_back(fmt::format("--ntasks-per-node={}", settings.ranksPerNode));
    options.push_back(fmt::format("--cpus-per-task={}", settings.coresPerRank));
    addIfSaid(options, "--mem", settings.memory);
    if (settings.exclusive)
        options.emplace_back("--exclusive");
    options.insert(options.end(), settings.extraLines.begin(), settings.extraLines.end());
    return options;
}

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
            return refuse("modules", Words::tr("“{}” is no name of a module.", plainText(name)));
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

/// sbatch takes a backslash in a pattern for “no symbols here” and drops it.
Result<void> check(const jobs::SitePaths& paths)
{
    for (const fs::path& path : {paths.root, paths.agent})
        if (!path.is_absolute() || !isOneLine(path.string()) || path.string().find('\\') != std::string::npos)
            return refuse("root", Words::tr("{} cannot be used in a job: an absolute path without line breaks and "
                                            "backslashes is needed.",
                                            plainText(path.string())));
    return {};
}

} // namespace

std::string commentOf(const CampaignId& campaign)
{
    return std::string(kCommentPrefix) + campaign.str();
}

std::optional<CampaignId> campaignOf(std::string_view comment)
{
    if (!comment.starts_with(kCommentPrefix))
        return std::nullopt;
    const auto id = CampaignId::parse(comment.substr(kCommentPrefix.size()));
    return id ? std::optional(*id) : std::nullopt;
}

std::vector<std::string> whereOptions(const SlurmSettings& settings)
{
    std::vector<std::string> options;
    addIfSaid(options, "--partition", settings.partition);
    addIfSaid(options, "--account", settings.account);
    addIfSaid(options, "--qos", settings.qos);
    addIfSaid(options, "--constraint", settings.constraint);
    if (settings.gpusPerNode > 0)
        options.push_back(fmt::format("--gres=gpu:{}{}", settings.gpuType.empty() ? "" : settings.gpuType + ":",
                                      settings.gpusPerNode));
    return options;
}

Result<std::string> batchScript(const CampaignPlan& plan, const jobs::SitePaths& paths, const SlurmSettings& settings,
                                const Surroundings& surroundings)
{
    if (const auto problems = problemsOf(settings); !problems.empty())
        return refuse(problems.front().field, problems.front().message);
    TRY(check(surroundings));
    TRY(check(paths));
    const fs::path campaign = layout::campaignFolder(paths.root, plan.campaign);
    // A login shell knows the command `module`; without modules any shell will do.
    const std::string shell = surroundings.modules.empty() ? "#!/bin/sh\n" : "#!/bin/bash -l\n";
    return shell + identity(plan, campaign) + directives(resources(settings)) + "umask 077\n" +
           preparation(surroundings) +
           fmt::format("exec {} run {}\n", shellQuote(paths.agent.string()), shellQuote(campaign.string()));
}

} // namespace ringside::slurm
