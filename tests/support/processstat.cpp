// SPDX-License-Identifier: MIT
#include "tests/support/processstat.h"

#include <cstdlib>
#include <sstream>

namespace ringside::test {

std::optional<ProcessStat> readProcessStat(const fs::path& folder)
{
    const auto text = readFile(folder / "stat"); // an error where the process ends meanwhile; stream iterators throw
    const auto name = text ? text->rfind(')') : std::string::npos; // which may hold anything else
    if (name == std::string::npos)
        return std::nullopt;
    std::istringstream fields(text->substr(name + 1));
    ProcessStat stat;
    std::int64_t user = 0, system = 0;
    std::string skipped;
    fields >> stat.state >> stat.parent;
    for (int field = 5; field < 14; ++field)
        fields >> skipped;
    fields >> user >> system;
    stat.ticks = user + system;
    return fields ? std::optional(stat) : std::nullopt;
}

std::optional<ProcessStat> readProcessStat(pid_t pid)
{
    return readProcessStat(fs::path("/proc") / std::to_string(pid));
}

std::vector<pid_t> processesWith(const std::string& text)
{
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        const auto words = pid > 0 ? readFile(entry.path() / "cmdline") : fail(ErrorCode::notFound, "");
        if (words && words->find(text) != std::string::npos)
            found.push_back(pid);
    }
    return found;
}

} // namespace ringside::test
