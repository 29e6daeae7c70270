// SPDX-License-Identifier: MIT
#include "agent/builder/modules.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace ringside::builder {

namespace {

constexpr std::chrono::seconds kLimit{60};
constexpr std::string_view kMark = "\nringside-environment\n";
constexpr std::size_t kMaxSaid = 600;

/// A login shell's output before the mark is noise, or the reason of a failure.
constexpr const char* kLoad = "module load \"$@\" && printf '\\nringside-environment\\n' && exec env -0";
constexpr const char* kList = "module -t avail \"$1\" 2>&1";

std::vector<std::string> inLoginShell(const char* script, const std::vector<std::string>& arguments)
{
    std::vector<std::string> command{"bash", "-l", "-c", script, "ringside"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

void takeOver(std::string_view entries)
{
    while (!entries.empty()) {
        const std::size_t end = std::min(entries.find('\0'), entries.size());
        const std::string entry(entries.substr(0, end));
        if (const std::size_t equals = entry.find('='); equals != std::string::npos && equals > 0)
            ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
        entries.remove_prefix(std::min(end + 1, entries.size()));
    }
}

Error notLoaded(const std::vector<std::string>& modules, const std::string& said)
{
    const std::string names = fmt::format("{}", fmt::join(modules, ", "));
    if (said.find("module: command not found") != std::string::npos)
        return {ErrorCode::unavailable,
                fmt::format("The modules {} cannot be loaded: login shells here have no command “module”.", names),
                "Remove the modules from the site's description, or have bash start with the module system."};
    return {ErrorCode::unavailable,
            fmt::format("The modules {} cannot be loaded: {}", names, plainText(said.substr(0, kMaxSaid))),
            "“module avail” lists those that are there."};
}

} // namespace

bool isModuleName(std::string_view name)
{
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_./+@:=-").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '-' && name.size() <= 200 && std::ranges::all_of(name, isPlain);
}

Result<void> loadModules(const std::vector<std::string>& modules, const Deadline& deadline)
{
    if (modules.empty())
        return {};
    for (const auto& name : modules)
        if (!isModuleName(name))
            return fail(ErrorCode::usage,
                        fmt::format("“{}” cannot be the name of a module.", plainText(name.substr(0, 80))),
                        "Write it as “module avail” shows it.");
    TRY_ASSIGN(const Answer answer, run(inLoginShell(kLoad, modules), deadline.atMost(kLimit)));
    const std::size_t at = answer.output.rfind(kMark);
    if (at == std::string::npos)
        return tl::unexpected(notLoaded(modules, answer.output));
    takeOver(std::string_view(answer.output).substr(at + kMark.size()));
    return {};
}

std::string moduleHint(const std::string& nameBegin, const Deadline& deadline)
{
    std::set<std::string> names;
    if (const auto answer = run(inLoginShell(kList, {nameBegin}), deadline.atMost(kLimit))) {
        std::istringstream lines(answer->output);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with(nameBegin) && isModuleName(line))
                names.insert(line);
    }
    if (names.empty())
        return {};
    const std::vector<std::string> last(names.rbegin(),
                                        std::next(names.rbegin(), std::min<std::ptrdiff_t>(3, std::ssize(names))));
    return fmt::format(" Modules here: {}.", fmt::join(last, ", "));
}

} // namespace ringside::builder
