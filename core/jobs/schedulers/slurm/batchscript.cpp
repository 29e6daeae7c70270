// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/batchscript.h"

#include "core/jobs/duration.h"
#include "core/jobs/jobscript.h"
#include "core/jobs/schedulers/slurm/settings.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cctype>

namespace ringside::slurm {

namespace {

using jobs::JobSettings;

constexpr std::size_t kMaxJobName = 60;
/// From the signal to the end of the job's time, for the runner to end its attempt; Slurm sends it up to 60 s earlier.
constexpr int kWarningSeconds = 30;

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

/// As sbatch reads the words of an #SBATCH line: a backslash protects a quote, but not a space outside of quotes.
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
    return directive("--job-name=" + jobName(plan.experiment)) + directive("--comment=" + jobs::tagOf(plan.campaign)) +
           directive("--output=" + pattern(layout::runnerLog(campaign))) + directive("--open-mode=append") +
           directive("--requeue") + directive(fmt::format("--signal=B:USR1@{}", kWarningSeconds));
}

std::vector<std::string> resources(const JobSettings& settings)
{
    std::vector<std::string> options = nodeOptions(settings);
    options.push_back("--time=" + jobs::formatDuration(settings.timeLimitSeconds));
    options.push_back(fmt::format("--nodes={}", settings.nodes));
    options.push_back(fmt::format("--ntasks-per-node={}", settings.ranksPerNode));
    options.push_back(fmt::format("--cpus-per-task={}", settings.coresPerRank));
    addIfSaid(options, "--mem", settings.memory);
    if (settings.exclusive)
        options.emplace_back("--exclusive");
    options.insert(options.end(), settings.extraLines.begin(), settings.extraLines.end());
    return options;
}

} // namespace

std::vector<std::string> nodeOptions(const JobSettings& settings)
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

Result<std::string> batchScript(const CampaignPlan& plan, const jobs::SitePaths& paths, const JobSettings& settings,
                                const jobs::Surroundings& surroundings)
{
    if (const auto problems = settingProblems(settings); !problems.empty())
        return fail(ErrorCode::usage, problems.front().text());
    TRY_ASSIGN(const jobs::ScriptParts parts, jobs::scriptParts(plan, paths, surroundings));
    return parts.shell + identity(plan, layout::campaignFolder(paths.root, plan.campaign)) +
           directives(resources(settings)) + parts.body;
}

} // namespace ringside::slurm
