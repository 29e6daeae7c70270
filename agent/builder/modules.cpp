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
constexpr std::string_view kMarkBefore = "\nringside-before\n", kMark = "\nringside-environment\n";
constexpr std::size_t kMaxSaid = 600;

/// A login shell's output before the first mark is noise, and between the variables and the second mark it is what
/// loading printed, as the reason of a failure.
constexpr const char* kLoad = "printf '\\nringside-before\\n' && env -0 && printf '\\n' && "
                              "module load \"$@\" && printf '\\nringside-environment\\n' && exec env -0";
constexpr const char* kList = "module -t avail \"$1\" 2>&1";

std::vector<std::string> inLoginShell(const char* script, const std::vector<std::string>& arguments)
{
    std::vector<std::string> command{"bash", "-l", "-c", script, "ringside"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

/// Each ends with a zero byte; what follows the last one is none.
Variables variablesIn(std::string_view entries)
{
    Variables variables;
    for (std::size_t end = 0; (end = entries.find('\0')) != std::string_view::npos; entries.remove_prefix(end + 1)) {
        const std::string_view entry = entries.substr(0, end);
        if (const std::size_t equals = entry.find('='); equals != std::string::npos && equals > 0)
            variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return variables;
}

/// All of it where there are none.
std::string behindVariables(std::string_view output)
{
    const std::size_t end = output.rfind('\0');
    return std::string(end == std::string_view::npos ? output : output.substr(end + 1));
}

/// Those that are new or another; not the shell's own, which differ from command to command.
Variables changedIn(const Variables& after, const Variables& before)
{
    Variables changed;
    for (const auto& [name, value] : after) {
        const auto known = before.find(name);
        if (name != "_" && name != "SHLVL" && (known == before.end() || known->second != value))
            changed.emplace(name, value);
    }
    return changed;
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
        return isAlphanumeric(c) || std::string_view("_./+@:=-").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '-' && name.size() <= 200 && std::ranges::all_of(name, isPlain);
}

Result<Variables> loadModules(const std::vector<std::string>& modules, const Deadline& deadline)
{
    if (modules.empty())
        return Variables();
    for (const auto& name : modules)
        if (!isModuleName(name))
            return fail(ErrorCode::usage,
                        fmt::format("“{}” cannot be the name of a module.", plainText(name.substr(0, 80))),
                        "Write it as “module avail” shows it.");
    TRY_ASSIGN(const Answer answer, run(inLoginShell(kLoad, modules), deadline.atMost(kLimit)));
    const std::string_view output = answer.output;
    const std::size_t first = output.find(kMarkBefore), at = output.rfind(kMark);
    if (first == std::string_view::npos || at == std::string_view::npos || at < first)
        return tl::unexpected(notLoaded(modules, behindVariables(output)));
    const Variables after = variablesIn(output.substr(at + kMark.size()));
    for (const auto& [name, value] : after)
        ::setenv(name.c_str(), value.c_str(), 1);
    return changedIn(after, variablesIn(output.substr(first + kMarkBefore.size(), at - first)));
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
