// SPDX-License-Identifier: MIT
#include "core/base/environment.h"

#include <cstdlib>
#include <unistd.h>

namespace ringside {

namespace {

bool isAboutOtherRanks(std::string_view name)
{
    if (name.starts_with("PMIX_MCA_"))
        return false;
    if (name == "RINGSIDE_RANK" || name == "RINGSIDE_RANKS" || name == "RINGSIDE_LOCAL_RANK" ||
        name == "RINGSIDE_MEETING")
        return true;
    for (const char* begin : {"PMIX_", "PMI_", "OMPI_COMM_WORLD_", "MPI_LOCAL", "HYDI_", "PALS_"})
        if (name.starts_with(begin))
            return true;
    return false;
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
