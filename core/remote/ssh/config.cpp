// SPDX-License-Identifier: MIT
#include "core/remote/ssh/config.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/ssh/evaluation.h"
#include "core/remote/ssh/tokens.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

void collectAliases(const ConfigFile& file, std::vector<std::string>& aliases)
{
    for (const Directive& directive : file.directives) {
        for (const ConfigFile& included : directive.included)
            collectAliases(included, aliases);
        if (directive.keyword != "host")
            continue;
        for (const std::string& word : directive.words)
            if (isHostName(word) && std::find(aliases.begin(), aliases.end(), word) == aliases.end())
                aliases.push_back(word);
    }
}

std::string placeOf(const Values& values, const std::string& keyword)
{
    const Value* value = values.find(keyword);
    return value ? value->place : std::string();
}

/// “ssh -G” prints these two with their tokens replaced, and the others as they were written.
Result<void> expandAsSsh(Values& values, const Target& target, const ConfigPlaces& places)
{
    TRY_ASSIGN(const HostSettings names, namesFrom(values, target, places));
    const Tokens tokens = tokensFor(names, places);
    for (const char* keyword : {"userknownhostsfile", "identityagent"}) {
        const Value* said = values.find(keyword);
        if (!said)
            continue;
        Value expanded{{}, said->place};
        for (const std::string& word : said->words) {
            const bool isNoPath = word == "none" || word == "SSH_AUTH_SOCK" || word.starts_with('$');
            TRY_ASSIGN(const fs::path path, isNoPath ? Result<fs::path>(word) : tokens.path(*said, word));
            expanded.words.push_back(path.string());
        }
        values.replace(keyword, std::move(expanded));
    }
    return {};
}

} // namespace

Config::Config(ConfigPlaces places, std::vector<ConfigFile> files)
    : m_places(std::move(places))
    , m_files(std::move(files))
{
}

Result<Config> Config::read(const ConfigPlaces& places, const fs::path& explicitFile)
{
    TRY_ASSIGN(std::vector<ConfigFile> files, readConfigFiles(places, explicitFile));
    return Config(places, std::move(files));
}

Result<HostSettings> Config::settingsFor(const Target& target) const
{
    TRY(checkHostName(target.host));
    Evaluation found({target, m_places.localUser});
    found.apply(m_files);
    Values values = found.values();
    values.replace("hostname", {{found.hostName()}, placeOf(values, "hostname")});
    TRY(expandAsSsh(values, target, m_places));
    return settingsFrom(values, target, m_places);
}

std::vector<HostSettings> Config::hosts() const
{
    std::vector<std::string> aliases;
    for (const ConfigFile& file : m_files)
        collectAliases(file, aliases);
    std::vector<HostSettings> hosts;
    for (const std::string& alias : aliases)
        if (auto found = settingsFor({alias, {}, 0}))
            hosts.push_back(*std::move(found));
    return hosts;
}

} // namespace ringside::ssh
