// SPDX-License-Identifier: MIT
#include "core/sites/site.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/layout.h"
#include "core/remote/ssh/target.h"
#include "core/spec/experiment.h"
#include "core/spec/wording.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr std::size_t kMaxName = 64;

/// Also a file's name: no separator, no leading dot.
bool isName(std::string_view text)
{
    const auto allowed = [](char c) { return isAlphanumeric(c) || c == '-' || c == '_' || c == '.'; };
    return !text.empty() && text.size() <= kMaxName && isAlphanumeric(text.front()) &&
           std::ranges::all_of(text, allowed);
}

/// As long as a text of a plan may be.
constexpr std::size_t kMaxText = 4'096;

/// A line of UTF-8 without control characters: what a site's file can hold.
bool isLine(std::string_view text)
{
    return text.size() <= kMaxText && plainText(text) == text && text.find_first_of("\n\t") == std::string_view::npos;
}

Result<void> checkWords(const char* field, const std::vector<std::string>& words)
{
    for (const std::string& word : words)
        if (word.empty() || !isLine(word))
            return fail(
                ErrorCode::usage,
                Words::tr("{}: a word is empty, longer than {} bytes, or has a control character.", field, kMaxText),
                Words::tr("Enter it again."));
    return {};
}

Result<void> checkName(const char* field, const std::string& name, const std::vector<std::string>& known)
{
    if (std::ranges::find(known, name) == known.end())
        return fail(ErrorCode::usage, Words::tr("{}: “{}” is not known.", field, plainText(name)),
                    spec::suggestion(name, known));
    return {};
}

Result<void> checkTexts(const Site& site)
{
    const std::pair<const char*, const std::string&> texts[] = {{"host", site.host},     {"user", site.user},
                                                                {"root", site.root},     {"agent", site.agent},
                                                                {"worker", site.worker}, {"torch", site.torch}};
    for (const auto& [field, text] : texts)
        if (!isLine(text))
            return fail(ErrorCode::usage,
                        Words::tr("{}: is longer than {} bytes, or has a control character.", field, kMaxText),
                        Words::tr("Enter it again."));
    if (!site.worker.empty() && site.worker.front() != '/')
        return fail(ErrorCode::usage, Words::tr("worker: “{}” is no absolute path.", plainText(site.worker)),
                    Words::tr("Name the file on the site from / on: compute nodes start it from other folders."));
    TRY(checkWords("hosts", site.hosts));
    TRY(checkWords("modules", site.modules));
    TRY(checkWords("launch_prefix", site.launchPrefix));
    if (std::ranges::find(site.launchPrefix, ":") != site.launchPrefix.end())
        return fail(ErrorCode::usage,
                    Words::tr("launch_prefix: a word is “:” alone, where a launcher begins another program."),
                    Words::tr("Leave it out, or make it part of a longer word."));
    return {};
}

/// As long as the scheduler is not known, one that accepts the settings is enough.
Result<void> checkJob(const Site& site)
{
    std::vector<jobs::SettingProblem> problems;
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        if (!jobs::schedulerNamed(site.scheduler) || scheduler->name() == site.scheduler) {
            problems = scheduler->problemsOf(site.job);
            if (problems.empty())
                return {};
        }
    return fail(ErrorCode::usage, problems.front().text());
}

} // namespace

Result<void> takeHost(Site& site, std::string_view text)
{
    TRY_ASSIGN(ssh::Target target, ssh::parseTarget(text));
    site.host = std::move(target.host);
    site.user = std::move(target.user);
    site.port = target.port;
    return {};
}

std::string hostText(const Site& site)
{
    return ssh::written(ssh::Target{site.host, site.user, site.port});
}

std::vector<std::string> schedulerNames()
{
    std::vector<std::string> names{std::string(kAutomaticScheduler)};
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        names.emplace_back(scheduler->name());
    names.emplace_back(kNoScheduler);
    return names;
}

std::vector<std::string> launcherNames()
{
    std::vector<std::string> names{std::string(kAutomaticLauncher), std::string(jobs::kLauncherOfMpi)};
    for (const jobs::Launcher* launcher : jobs::launchers())
        names.emplace_back(launcher->name());
    return names;
}

Result<void> checkSite(const Site& site)
{
    if (!isName(site.name))
        return fail(ErrorCode::usage, Words::tr("name: “{}” cannot be a site's name.", plainText(site.name)),
                    Words::tr("Use at most 64 letters, digits, “-”, “_” and “.”, a letter or digit first."));
    if (site.name == spec::kLocalSite)
        return fail(ErrorCode::usage, Words::tr("name: “local” is this computer."), Words::tr("Choose another name."));
    if (site.host.empty())
        return fail(ErrorCode::usage, Words::tr("host: is missing."),
                    Words::tr("Name a host, or an alias of your ssh configuration."));
    if (site.root.empty())
        return fail(ErrorCode::usage, Words::tr("root: is empty."),
                    Words::tr("Leave it out for .ringside in the home folder."));
    if (site.port < 0 || site.port > 65'535)
        return fail(ErrorCode::usage, Words::tr("port: it must be from 1 to 65535."),
                    Words::tr("Leave it out for the one of the ssh configuration."));
    TRY(checkTexts(site));
    TRY(checkName("scheduler", site.scheduler, schedulerNames()));
    TRY(checkName("launcher", site.launcher, launcherNames()));
    TRY(layout::checkedRoot(site.root));
    return checkJob(site);
}

} // namespace ringside
