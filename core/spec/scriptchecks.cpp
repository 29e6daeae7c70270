// SPDX-License-Identifier: MIT
#include "core/spec/scriptchecks.h"

#include "core/base/filesystem.h"
#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <array>

namespace ringside::spec {

namespace {

Check blocking(const Settings& settings, std::string key, std::string message, std::string hint)
{
    const Value* found = valueOf(settings, key);
    const std::string value = found ? toText(*found) : "";
    return {Severity::blocking, std::move(key), value, 0, 0, std::move(message), std::move(hint)};
}

void checkFile(const Settings& settings, const System& system, const SiteLimits& site, std::vector<Check>& checks)
{
    const std::string key = fmt::format("{}.{}", system.name, kScriptOption), script = *scriptOf(settings);
    if (!fs::path(script).is_absolute())
        checks.push_back(blocking(settings, key, Words::tr("Script: {} is no whole path.", inQuotes(script)),
                                  Words::tr("Write it as it is on {}, from “/” on.", site.text)));
    else if (site.hasFile && !site.hasFile(script))
        checks.push_back(blocking(settings, key,
                                  Words::tr("Script: {} has no file {} that can be read.", site.text, inQuotes(script)),
                                  Words::tr("Name a script that is there.")));
}

/// As the runner fills them in (core/jobs/programs/system.cpp).
void checkArguments(const Settings& settings, const System& system, std::vector<Check>& checks)
{
    const std::string key = argumentsOption(system);
    const auto names = placeholdersOf(textOf(settings, key).value_or(""));
    if (!names) {
        checks.push_back(
            blocking(settings, key, Words::tr("Arguments: {}", names.error().message), names.error().hint));
        return;
    }
    const char* const ofRank = "{batch_per_rank}";
    for (const std::string& name : *names)
        if (name == "batch_global" && !settings.contains(name))
            checks.push_back(blocking(
                settings, key,
                Words::tr("Arguments: {} has no value where the batch per rank is held fixed.", inQuotes(name)),
                Words::tr("Name {} in its place.", ofRank)));
        else if (!contains(system.argumentNames, name))
            checks.push_back(blocking(settings, key,
                                      Words::tr("Arguments: there is no placeholder {}.", inQuotes(name)),
                                      Words::tr("Placeholders are {}. Write “{{{{” or “}}}}” for a brace itself.",
                                                listed(system.argumentNames))));
}

/// Ringside's driver would run, and has other arguments.
void checkNoArguments(const Settings& settings, const System& system, std::vector<Check>& checks)
{
    const std::string key = argumentsOption(system), script = fmt::format("{}.{}", system.name, kScriptOption);
    if (const auto arguments = textOf(settings, key))
        checks.push_back({Severity::warning, key, *arguments, 0, 0,
                          Words::tr("{}: has no effect without {}.", shownLabelOf(key), script),
                          Words::tr("Name your script in {}, or remove {}.", script, key)});
}

/// As the file gives it; the batch of a rank is derived where that of all is held.
std::string batchKeyOf(const Settings& settings)
{
    return settings.contains("batch_global") ? "batch_global" : "batch_per_rank";
}

bool isNamed(const Settings& settings, const std::string& key)
{
    if (!isBatchKey(key))
        return isNamedToScript(settings, key);
    return isNamedToScript(settings, "batch_per_rank") ||
           (settings.contains("batch_global") && isNamedToScript(settings, "batch_global"));
}

/// The batch of a rank is what a script is usually started with, whichever the experiment says.
Check notNamed(const Settings& settings, const std::string& key)
{
    const System& system = *systemOf(settings);
    const std::string place = isBatchKey(key) ? "{batch_per_rank}" : "{" + key + "}";
    return blocking(settings, key,
                    Words::tr("{}: it is not the same in all runs, but the script of {} is started by the same words "
                              "for each, so all would train the same.",
                              shownLabelOf(key), system.title),
                    hasPlaceForArguments(system) ? Words::tr("Name {} in {}.", place, argumentsOption(system))
                                                 : Words::tr("Name {} in script_command of its table.", place));
}

/// System, script and arguments: all that starts a script, besides settings that it names.
using Start = std::array<std::string, 3>;

Start startOf(const Settings& settings)
{
    const System& system = *systemOf(settings);
    return {system.name, *scriptOf(settings), textOf(settings, argumentsOption(system)).value_or("")};
}

} // namespace

std::vector<Check> checkScript(const Settings& resolved, const SiteLimits& site)
{
    std::vector<Check> checks;
    const System& system = *systemOf(resolved);
    if (!scriptOf(resolved)) {
        checkNoArguments(resolved, system, checks);
        return checks;
    }
    checkFile(resolved, system, site, checks);
    checkArguments(resolved, system, checks);
    return checks;
}

std::vector<Check> checkScriptsDiffer(const std::vector<Cell>& cells)
{
    std::map<Start, const Settings*> firsts;
    std::map<std::string, Check> checks;
    for (const Cell& cell : cells) {
        const Settings& settings = cell.settings;
        if (cell.excluded || !scriptOf(settings))
            continue;
        const Settings& first = *firsts.try_emplace(startOf(settings), &settings).first->second;
        for (const std::string& key : {std::string("model"), batchKeyOf(settings)}) {
            const Value* one = valueOf(first, key);
            if (!isNamed(settings, key) && !(one && *one == settings.at(key)))
                checks.try_emplace(key, notNamed(settings, key));
        }
    }
    return mapped(checks, [](const auto& entry) { return entry.second; });
}

} // namespace ringside::spec
