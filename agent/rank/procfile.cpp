// SPDX-License-Identifier: MIT
#include "agent/rank/procfile.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

namespace ringside {

std::string readProc(const fs::path& path)
{
    return ProcFile(path).read();
}

ProcFile::ProcFile(const fs::path& path)
    : m_file(open(path.c_str(), O_RDONLY | O_CLOEXEC))
{
}

std::string ProcFile::read() const
{
    char buffer[65536]; // /proc/stat of 256 cores has 20 KB of them before what is not needed
    const ssize_t n = pread(m_file.get(), buffer, sizeof buffer, 0);
    return std::string(buffer, n > 0 ? std::size_t(n) : 0);
}

namespace {

std::string_view takeWord(std::string_view& rest)
{
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n"));
    rest.remove_prefix(word.size());
    return word;
}

} // namespace

std::uint64_t takeNumber(std::string_view& rest)
{
    const std::string_view word = takeWord(rest);
    std::uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

std::optional<ProcessStat> parseProcessStat(std::string_view text)
{
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == text.npos || close == text.npos || close < open)
        return std::nullopt;
    ProcessStat stat;
    stat.name = text.substr(open + 1, close - open - 1);
    std::string_view rest = text.substr(close + 1);
    takeWord(rest); // state
    stat.parent = int(takeNumber(rest));
    takeWord(rest); // process group
    stat.session = int(takeNumber(rest));
    return stat;
}

bool isOrDescendsFrom(pid_t process, pid_t ancestor)
{
    while (process > 0 && process != ancestor) {
        const std::string text = readProc(fs::path("/proc") / std::to_string(process) / "stat");
        const auto stat = parseProcessStat(text);
        process = stat ? stat->parent : 0;
    }
    return process > 0;
}

std::uint64_t numberAfter(std::string_view text, std::string_view key)
{
    for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
        if (at > 0 && text[at - 1] != '\n')
            continue;
        std::string_view rest = text.substr(at + key.size());
        return takeNumber(rest);
    }
    return 0;
}

} // namespace ringside
