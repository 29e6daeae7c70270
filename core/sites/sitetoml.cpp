// SPDX-License-Identifier: MIT
// One table says for each key of a site's file how it is read and written.
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/duration.h"
#include "core/jobs/schedulers/table.h"
#include "core/sites/site.h"
#include "core/spec/tomlreader.h"
#include "core/spec/tomltext.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace ringside {

namespace {

constexpr std::size_t kMaxSiteBytes = 64u << 10;

/// A key of a table whose content goes into a T.
template <class T> struct Key
{
    std::string name;
    std::string expected;                            ///< for messages: "a text in quotes"
    std::function<bool(T&, const toml::node&)> take; ///< false if the node is of another kind
    std::function<std::string(const T&)> text;       ///< as it stands in the file; empty: left out
};

template <class T> Key<T> text(const char* name, std::string T::*member)
{
    return {name, "a text in quotes",
            [=](T& to, const toml::node& node) {
                const auto value = node.value_exact<std::string>();
                to.*member = value.value_or("");
                return value.has_value();
            },
            [=](const T& from) { return from.*member == T{}.*member ? "" : spec::quotedToml(from.*member); }};
}

template <class T> Key<T> path(const char* name, fs::path T::*member)
{
    return {name, "a path in quotes",
            [=](T& to, const toml::node& node) {
                const auto value = node.value_exact<std::string>();
                to.*member = value.value_or("");
                return value.has_value();
            },
            [=](const T& from) { return (from.*member).empty() ? "" : spec::quotedToml((from.*member).string()); }};
}

template <class T> Key<T> number(const char* name, int T::*member)
{
    return {name, "a whole number",
            [=](T& to, const toml::node& node) {
                const auto value = node.value_exact<std::int64_t>();
                to.*member = value && *value >= 0 && *value <= 1'000'000'000 ? static_cast<int>(*value) : -1;
                return value.has_value();
            },
            [=](const T& from) { return from.*member == T{}.*member ? "" : std::to_string(from.*member); }};
}

template <class T> Key<T> flag(const char* name, bool T::*member)
{
    return {name, "true or false",
            [=](T& to, const toml::node& node) {
                const auto value = node.value_exact<bool>();
                to.*member = value.value_or(false);
                return value.has_value();
            },
            [=](const T& from) { return from.*member ? "true" : ""; }};
}

bool takeList(std::vector<std::string>& to, const toml::node& node)
{
    const toml::array* items = node.as_array();
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const auto item = items->get(i)->value_exact<std::string>();
        if (!item)
            return false;
        to.push_back(*item);
    }
    return items != nullptr;
}

std::string listText(const std::vector<std::string>& list)
{
    std::string text;
    for (const std::string& item : list)
        text += (text.empty() ? "" : ", ") + spec::quotedToml(item);
    return text.empty() ? "" : "[" + text + "]";
}

template <class T> Key<T> list(const char* name, std::vector<std::string> T::*member)
{
    return {name, "a list of texts", [=](T& to, const toml::node& node) { return takeList(to.*member, node); },
            [=](const T& from) { return listText(from.*member); }};
}

/// One of `names`, of which the first is the default.
Key<Site> oneOf(const char* name, std::string Site::*member, const std::vector<std::string>& names)
{
    return {name, "one of " + spec::listed(names),
            [=](Site& to, const toml::node& node) {
                to.*member = node.value_exact<std::string>().value_or("");
                return std::ranges::find(names, to.*member) != names.end();
            },
            [=](const Site& from) { return from.*member == names.front() ? "" : spec::quotedToml(from.*member); }};
}

/// Table of a site's jobs, whatever scheduler the probe finds there.
constexpr const char* kAnyScheduler = "job";

/// The tables that hold settings of jobs.
std::set<std::string> jobSections()
{
    std::set<std::string> names{kAnyScheduler};
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        names.emplace(scheduler->name());
    return names;
}

const std::vector<Key<Site>>& siteKeys()
{
    static const std::vector<Key<Site>> keys = {
        text("name", &Site::name),
        text("host", &Site::host),
        text("user", &Site::user),
        number("port", &Site::port),
        path("ssh_config", &Site::sshConfig),
        text("root", &Site::root),
        text("agent", &Site::agent),
        text("worker", &Site::worker),
        text("torch", &Site::torch),
        flag("install_torch", &Site::installTorch),
        oneOf("scheduler", &Site::scheduler, schedulerNames()),
        oneOf("launcher", &Site::launcher, launcherNames()),
        flag("job_per_run", &Site::jobPerRun),
        list("hosts", &Site::hosts),
        list("modules", &Site::modules),
        list("launch_prefix", &Site::launchPrefix),
    };
    return keys;
}

/// "2:00:00" or "1-00:00:00", as schedulers write it, or minutes as a number.
Key<jobs::JobSettings> timeLimit()
{
    return {"time_limit", "a time in quotes such as \"2:00:00\" or \"1-00:00:00\"",
            [](jobs::JobSettings& to, const toml::node& node) {
                const auto text = node.value_exact<std::string>();
                const auto seconds = text ? jobs::parseDuration(*text) : std::nullopt;
                to.timeLimitSeconds = static_cast<int>(std::clamp<std::int64_t>(seconds.value_or(0), 0, 1'000'000'000));
                return seconds.has_value();
            },
            [](const jobs::JobSettings& from) {
                const bool usual = from.timeLimitSeconds == jobs::JobSettings{}.timeLimitSeconds;
                return usual ? "" : spec::quotedToml(jobs::formatDuration(from.timeLimitSeconds));
            }};
}

const std::vector<Key<jobs::JobSettings>>& jobKeys()
{
    using Settings = jobs::JobSettings;
    static const std::vector<Key<Settings>> keys = {
        text("partition", &Settings::partition),
        text("account", &Settings::account),
        text("qos", &Settings::qos),
        timeLimit(),
        number("gpus_per_node", &Settings::gpusPerNode),
        text("gpu_type", &Settings::gpuType),
        flag("exclusive", &Settings::exclusive),
        text("constraint", &Settings::constraint),
        text("memory", &Settings::memory),
        list("extra_lines", &Settings::extraLines),
    };
    return keys;
}

/// Where a problem is, for people: the file and, if known, the line.
Error problemAt(std::string_view file, const toml::source_region& where, std::string message, std::string hint)
{
    const std::string line = where.begin.line > 0 ? fmt::format(", line {}", where.begin.line) : "";
    return {ErrorCode::usage, fmt::format("{}{}: {}", file, line, message), std::move(hint)};
}

template <class T> std::vector<std::string> namesOf(const std::vector<Key<T>>& keys)
{
    std::vector<std::string> names;
    for (const Key<T>& key : keys)
        names.push_back(key.name);
    return names;
}

template <class T>
Result<void> readTable(const toml::table& table, const std::vector<Key<T>>& keys, const std::set<std::string>& others,
                       T& to, std::string_view file)
{
    for (const auto& [name, node] : table) {
        const auto found =
            std::ranges::find(keys, name.str(), [](const Key<T>& key) -> std::string_view { return key.name; });
        if (found == keys.end() && others.contains(std::string(name.str())))
            continue;
        if (found == keys.end())
            return tl::unexpected(problemAt(file, name.source(),
                                            Words::tr("{} is not known here.", spec::inQuotes(name.str())),
                                            spec::suggestion(name.str(), namesOf(keys))));
        if (!found->take(to, node))
            return tl::unexpected(
                problemAt(file, node.source(), Words::tr("{}: expected {}.", found->name, found->expected), {}));
    }
    return {};
}

template <class T> spec::TomlLines linesOf(const std::vector<Key<T>>& keys, const T& from)
{
    spec::TomlLines lines;
    for (const Key<T>& key : keys)
        if (std::string text = key.text(from); !text.empty())
            lines.emplace_back(key.name, std::move(text));
    return lines;
}

Result<void> checkFormat(const toml::table& root, std::string_view file)
{
    const auto format = root["format"].value<std::int64_t>();
    if (format == kSiteFormat)
        return {};
    if (format && *format > kSiteFormat)
        return fail(ErrorCode::newerVersion,
                    Words::tr("{}: format {} is not known; this version reads format {}.", file, *format, kSiteFormat),
                    Words::tr("Open it with the version that wrote it."));
    return fail(ErrorCode::usage, Words::tr("{}: the format is missing.", file),
                Words::tr("Write format = 1 at the top."));
}

} // namespace

Result<Site> siteFromToml(std::string_view text, std::string_view file)
{
    if (text.size() > kMaxSiteBytes)
        return fail(ErrorCode::usage, Words::tr("{} is no file of a site: it has {}.", file, humanBytes(text.size())));
    const auto parsed = spec::parsedToml(text);
    if (!parsed)
        return fail(ErrorCode::usage, fmt::format("{}, line {}: {}", file, parsed.error().line, parsed.error().message),
                    parsed.error().hint);
    const toml::table& root = *parsed;
    TRY(checkFormat(root, file));
    Site site;
    std::set<std::string> others = jobSections();
    others.emplace("format");
    TRY(readTable(root, siteKeys(), others, site, file));
    for (const std::string& section : jobSections())
        if (const toml::table* table = root[section].as_table())
            TRY(readTable(*table, jobKeys(), {}, site.job, file));
    if (const auto checked = checkSite(site); !checked)
        return fail(checked.error().code, fmt::format("{}: {}", file, checked.error().message), checked.error().hint);
    return site;
}

std::string siteToToml(const Site& site)
{
    const std::string section = jobs::schedulerNamed(site.scheduler) ? site.scheduler : kAnyScheduler;
    return fmt::format("format = {}\n{}{}", kSiteFormat, spec::aligned(linesOf(siteKeys(), site)),
                       spec::tomlSection("[" + section + "]", linesOf(jobKeys(), site.job)));
}

} // namespace ringside
