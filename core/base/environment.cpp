// SPDX-License-Identifier: MIT
#include "core/base/environment.h"

#include "core/base/rankvariables.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace ringside {

namespace {

bool isAboutOtherRanks(std::string_view name)
{
    const auto begins = [name](std::string_view begin) { return name.starts_with(begin); };
    return !name.starts_with("PMIX_MCA_") &&
           (std::ranges::count(kOwnRankVariables, name) > 0 || std::ranges::any_of(kForeignRankVariables, begins));
}

} // namespace

const char* environment(const char* name)
{
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

std::string_view variableName(std::string_view entry)
{
    return entry.substr(0, entry.find('='));
}

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& variables)
{
    std::vector<std::string> list;
    for (char** entry = environ; *entry; ++entry)
        list.emplace_back(*entry);
    setVariables(list, variables);
    return list;
}

void setVariables(std::vector<std::string>& environment, const std::map<std::string, std::string>& variables)
{
    std::erase_if(environment, [&](const auto& entry) { return variables.contains(std::string(variableName(entry))); });
    for (const auto& [name, value] : variables)
        environment.push_back(name + "=" + value);
}

std::vector<std::string> inheritedEnvironment()
{
    std::vector<std::string> variables;
    for (char** entry = environ; *entry; ++entry)
        if (!isAboutOtherRanks(variableName(*entry)))
            variables.emplace_back(*entry);
    return variables;
}

} // namespace ringside
