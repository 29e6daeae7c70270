// SPDX-License-Identifier: MIT
#include "tests/bench/support/processcost.h"

#include "tests/support/processstat.h"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace ringside::bench {

namespace {

fs::path folderOf(pid_t pid)
{
    return fs::path("/proc") / std::to_string(pid);
}

double megabytesOf(pid_t pid, const std::string& key)
{
    std::ifstream status(folderOf(pid) / "status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key + ":"))
            return std::atof(line.c_str() + key.size() + 1) / 1000;
    return 0;
}

} // namespace

std::optional<pid_t> agentWith(const std::string& word, const std::string& other)
{
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const std::string words = '\0' + readFile(entry.path() / "cmdline").value_or("");
        const bool isAgent = readFile(entry.path() / "comm").value_or("") == "ringside-agent\n";
        const auto has = [&](const std::string& each) { return words.find('\0' + each + '\0') != std::string::npos; };
        if (isAgent && has(word) && has(other))
            return std::atoi(name.c_str());
    }
    return std::nullopt;
}

double cpuSeconds(pid_t pid)
{
    const auto ticks = static_cast<double>(test::readProcessStat(pid).value_or(test::ProcessStat{}).ticks);
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double peakMegabytes(pid_t pid)
{
    return megabytesOf(pid, "VmHWM");
}

double residentMegabytes(pid_t pid)
{
    return megabytesOf(pid, "VmRSS");
}

} // namespace ringside::bench
