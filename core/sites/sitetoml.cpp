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

using spec::TomlField;
using spec::TomlReader;

/// A key of a table whose content goes into a T.
template <class T> struct Key
{
    std::string name;
    std::function<void(TomlReader&, const TomlField&, T&)> read;
    std::function<std::string(const T&)> text; ///< as the file has it; empty: left out
};

template <class T> Key<T> text(const char* name, std::string T::*member)
{
    return {name, [=](TomlReader& reader, const TomlField& field, T& to) { reader.readText(field, to.*member); },
            [=](const T& from) { return from.*member == T{}.*member ? "" : spec::quotedToml(from.*member); }};
}

template <class T> Key<T> path(const char* name, fs::path T::*member)
{
    return {name,
            [=](TomlReader& reader, const TomlField& field, T& to) {
                std::string text;
                reader.readText(field, text);
                to.*member = text;
            },
            [=](const T& from) { return (from.*member).empty() ? "" : spec::quotedToml((from.*member).string()); }};
}

template <class T> Key<T> number(const char* name, int T::*member)
{
    return {name, [=](TomlReader& reader, const TomlField& field, T& to) { reader.readWhole(field, to.*member); },
            [=](const T& from) { return from.*member == T{}.*member ? "" : std::to_string(from.*member); }};
}

template <class T> Key<T> flag(const char* name, bool T::*member)
{
    return {name, [=](TomlReader& reader, const TomlField& field, T& to) { reader.readFlag(field, to.*member); },
            [=](const T& from) { return from.*member ? "true" : ""; }};
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
    return {name, [=](TomlReader& reader, const TomlField& field, T& to) { reader.readTexts(field, to.*member); },
            [=](const T& from) { return listText(from.*member); }};
}

/// One of `names`, of which the first is the default.
Key<Site> oneOf(const char* name, std::string Site::*member, const std::vector<std::string>& names)
{
    return {name,
            [=](TomlReader& reader, const TomlField& field, Site& to) {
                to.*member = field.node->value_exact<std::string>().value_or("");
                if (std::ranges::find(names, to.*member) == names.end())
                    reader.expected(field, Words::tr("one of {}", spec::listed(names)));
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

/// "2:00:00" or "1-00:00:00", as schedulers read it.
Key<jobs::JobSettings> timeLimit()
{
    return {"time_limit",
            [](TomlReader& reader, const TomlField& field, jobs::JobSettings& to) {
                std::int64_t seconds = 0;
                reader.readParsed(field, seconds, jobs::parseTimeLimit, Words::tr("a time"),
                                  Words::tr("Write \"2:00:00\", or \"1-00:00:00\" for a day."));
                to.timeLimitSeconds = static_cast<int>(std::clamp<std::int64_t>(seconds, 0, 1'000'000'000));
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

template <class T> TomlReader::Handlers handlersOf(TomlReader& reader, const std::vector<Key<T>>& keys, T& to)
{
    TomlReader::Handlers handlers;
    for (const Key<T>& key : keys)
        handlers.emplace_back(key.name, [&](const TomlField& field) { key.read(reader, field, to); });
    return handlers;
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
        return tl::unexpected(spec::errorOf(parsed.error(), file));
    const toml::table& root = *parsed;
    TRY(checkFormat(root, file));
    const std::set<std::string> sections = jobSections();
    Site site;
    TomlReader reader;
    TomlReader::Handlers handlers = handlersOf(reader, siteKeys(), site);
    handlers.emplace_back("format", [](const TomlField&) {}); // checked above
    for (const std::string& section : sections)
        handlers.emplace_back(
            section, [&](const TomlField& table) { reader.readTable(table, handlersOf(reader, jobKeys(), site.job)); });
    reader.readTable({"", &root}, handlers);
    if (!reader.checks().empty())
        return tl::unexpected(spec::errorOf(reader.checks().front(), file));
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
