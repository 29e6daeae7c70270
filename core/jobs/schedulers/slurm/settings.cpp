// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/settings.h"

#include "core/base/words.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace ringside::slurm {

using jobs::JobSettings;
using jobs::SettingProblem;

namespace {

constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxOption = 1'000;
constexpr int kMaxNodes = 100'000;
constexpr int kMaxPerNode = 100'000;
constexpr int kMaxSeconds = 365 * 86'400;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

/// Options that the script sets itself, or that would make something else than one batch job of it.
constexpr std::string_view kReserved[] = {"--comment",
                                          "--clusters", // a job elsewhere would not be found again
                                          "-M",
                                          "--output",
                                          "-o",
                                          "--error",
                                          "-e",
                                          "--open-mode",
                                          "--signal",
                                          "--array",
                                          "-a",
                                          "--wrap",
                                          "--chdir",
                                          "-D",
                                          "--parsable",
                                          "--wait",
                                          "-W",
                                          "--export",
                                          "--export-file",
                                          "--test-only",
                                          "--help",
                                          "-h",
                                          "--usage",
                                          "--version",
                                          "-V",
                                          "--input",
                                          "-i"};

/// Options that a setting or the experiment states already. A second value would win in the job, while node-hours,
/// placement and checks went by the first.
constexpr std::string_view kSaidElsewhere[] = {"--time", "-t", "--nodes", "-N", "-n", "--ntasks", "--ntasks-per-node"};

bool isOneOf(std::span<const std::string_view> options, std::string_view name)
{
    return std::find(options.begin(), options.end(), name) != options.end();
}

bool consistsOf(std::string_view text, std::string_view more)
{
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return kLetters.find(c) != std::string_view::npos || kDigits.find(c) != std::string_view::npos ||
               more.find(c) != std::string_view::npos;
    });
}

/// Shortens a value for messages; it may be anything.
std::string shown(std::string_view value)
{
    std::string text = plainText(value.substr(0, 40));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return value.size() > 40 ? text + "…" : text;
}

class Checker
{
public:
    /// Letters, digits and `more`, not beginning with a minus sign.
    void name(const char* field, const std::string& value, std::string_view more)
    {
        if (value.find('\n') != std::string::npos)
            return add(field, Words::tr("It holds a line break; it must be a single line."));
        if (value.size() > kMaxName)
            return add(field, Words::tr("It is longer than {} characters.", kMaxName));
        if (value.starts_with('-') || !consistsOf(value, more))
            add(field,
                Words::tr("“{}” is not a name that Slurm accepts: use letters, digits and {}.", shown(value), more));
    }

    void count(const char* field, int value, int low, int high)
    {
        if (value < low || value > high)
            add(field, Words::tr("{} is not between {} and {}.", value, low, high));
    }

    void memory(const std::string& value)
    {
        const auto digits = value.find_first_not_of(kDigits);
        const std::string_view unit = digits == std::string::npos ? "" : std::string_view(value).substr(digits);
        const bool known = unit.empty() || unit == "K" || unit == "M" || unit == "G" || unit == "T";
        if (!value.empty() && (digits == 0 || value.size() > 12 || !known))
            add("memory", Words::tr("“{}” is no size: a number and K, M, G or T, as in 16G.", shown(value)));
    }

    void extraLine(const std::string& line)
    {
        if (line.find_first_of("\n\r") != std::string::npos)
            return add("extra_lines",
                       Words::tr("An option contains a line break; write each option on a line of its own."));
        if (line.size() > kMaxOption)
            return add("extra_lines", Words::tr("“{}” is longer than {} characters.", shown(line), kMaxOption));
        const std::string name = line.substr(0, line.find_first_of("= "));
        const bool isLong = name.size() > 2 && name.starts_with("--") && consistsOf(name, "-");
        const bool isShort = name.size() == 2 && name[0] == '-' && kLetters.find(name[1]) != std::string_view::npos;
        if ((!isLong && !isShort) || plainText(line) != line || line.find_first_of("\t#'\"\\") != std::string::npos)
            return add("extra_lines", Words::tr("“{}” is no option of sbatch: one such as --reservation=course, "
                                                "without quotes, # and backslashes.",
                                                shown(line)));
        if (isOneOf(kSaidElsewhere, name))
            return add("extra_lines",
                       Words::tr("{} cannot be used here: the time limit has a setting of its own, and nodes "
                                 "and ranks are the experiment's.",
                                 name));
        if (isOneOf(kReserved, name))
            add("extra_lines", Words::tr("{} cannot be used here: Ringside sets it, or it would make another kind "
                                         "of job.",
                                         name));
    }

    void add(const char* field, std::string message) { m_problems.push_back({field, std::move(message)}); }
    std::vector<SettingProblem> take() { return std::move(m_problems); }

private:
    std::vector<SettingProblem> m_problems;
};

} // namespace

std::vector<SettingProblem> settingProblems(const JobSettings& settings)
{
    Checker check;
    check.name("partition", settings.partition, "_-.,");
    check.name("account", settings.account, "_-.@");
    check.name("qos", settings.qos, "_-.");
    check.count("time_limit", settings.timeLimitSeconds, 60, kMaxSeconds);
    check.count("nodes", settings.nodes, 1, kMaxNodes);
    check.count("ranks_per_node", settings.ranksPerNode, 1, kMaxPerNode);
    check.count("cores_per_rank", settings.coresPerRank, 1, kMaxPerNode);
    check.count("gpus_per_node", settings.gpusPerNode, 0, kMaxPerNode);
    check.name("gpu_type", settings.gpuType, "_-.");
    if (!settings.gpuType.empty() && settings.gpusPerNode == 0)
        check.add("gpu_type", Words::tr("A type of GPU is chosen, but no GPU. Set how many per node."));
    check.name("constraint", settings.constraint, "_-.&|,()[]*!");
    check.memory(settings.memory);
    for (const std::string& line : settings.extraLines)
        check.extraLine(line);
    return check.take();
}

} // namespace ringside::slurm
