// SPDX-License-Identifier: MIT
#include "agent/engines/interpreter.h"

#include "core/base/environment.h"
#include "core/base/findprogram.h"
#include "core/base/sequences.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ringside::engines {

namespace {

constexpr std::chrono::seconds kLook{10};
constexpr std::size_t kMostFound = 100;

bool isPythonName(const std::string& name)
{
    constexpr std::string_view kName = "python3";
    return name.starts_with(kName) && name.find_first_not_of("0123456789.", kName.size()) == std::string::npos;
}

std::vector<fs::path> entriesOf(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code none;
    for (auto entry = fs::directory_iterator(folder, none); entry != fs::directory_iterator(); entry.increment(none))
        entries.push_back(entry->path());
    return entries;
}

/// python3, python3.9 …; the same file is one, whatever leads to it.
std::set<fs::path> programs()
{
    std::vector<fs::path> folders;
    for (std::string_view path = environment("PATH") ? environment("PATH") : ""; !path.empty();) {
        const std::size_t colon = std::min(path.find(':'), path.size());
        folders.emplace_back(path.substr(0, colon));
        path.remove_prefix(std::min(colon + 1, path.size()));
    }
    if (const char* home = environment("HOME"))
        for (const char* below : {".pyenv/versions", "miniconda3/envs", "anaconda3/envs", "miniforge3/envs"})
            for (const fs::path& each : entriesOf(fs::path(home) / below))
                folders.push_back(each / "bin");
    std::set<fs::path> found;
    std::error_code none;
    for (const fs::path& folder : folders)
        for (const fs::path& file : entriesOf(folder))
            if (found.size() < kMostFound && isPythonName(file.filename().string()) && isExecutable(file))
                found.insert(fs::canonical(file, none));
    return found;
}

Interpreter interpreterAt(const fs::path& program, const builder::Deadline& deadline)
{
    const std::string answer = builder::firstLineOf({program.string(), "--version"}, deadline.atMost(kLook));
    constexpr std::string_view kHead = "Python ";
    return {program, answer.starts_with(kHead) ? answer.substr(kHead.size()) : std::string()};
}

/// Tags of the packages there that are for one version alone: "-cp311-cp311-".
std::string tagsOf(const fs::path& wheels)
{
    std::string tags;
    for (const fs::path& file : entriesOf(wheels))
        if (const std::string name = file.filename().string(); file.extension() == ".whl")
            tags += name.substr(std::min(name.find("-cp"), name.size()));
    return tags;
}

std::string tagOf(const Interpreter& interpreter)
{
    const std::vector<int> numbers = versionNumbers(interpreter.version);
    return numbers.size() < 2 ? std::string("none") : fmt::format("-cp{0}{1}-cp{0}{1}", numbers[0], numbers[1]);
}

std::string described(const std::vector<Interpreter>& interpreters)
{
    const auto text = [](const Interpreter& each) {
        return fmt::format("{} ({})", each.version, each.program.string());
    };
    return interpreters.empty() ? std::string("none") : joined(interpreters, ", ", text);
}

} // namespace

Result<Interpreter> findInterpreter(const VersionRange& range, const std::string& wanted, const fs::path& wheels,
                                    const builder::Deadline& deadline)
{
    std::error_code none;
    std::vector<Interpreter> found;
    for (const fs::path& program : wanted.empty() ? programs() : std::set<fs::path>{wanted})
        if (Interpreter each = interpreterAt(program, deadline); !each.version.empty())
            found.push_back(std::move(each));
    if (!wanted.empty() && found.empty())
        return fail(ErrorCode::unavailable,
                    plainText(wanted) +
                        (fs::exists(wanted, none) ? " is no Python: it does not answer --version." : " is not there."),
                    "Write the path of one that is: --python FILE.");
    const std::string tags = tagsOf(wheels);
    const auto best = std::ranges::max_element(found, {}, [&](const Interpreter& each) {
        return std::tuple(range.contains(each.version), tags.find(tagOf(each)) != tags.npos,
                          versionNumbers(each.version));
    });
    if (best != found.end() && range.contains(best->version))
        return *best;
    return fail(ErrorCode::unavailable,
                fmt::format("A Python {} is needed; found: {}.", range.text(), plainText(described(found))),
                "Install one (Debian, pyenv or conda), load a module with it, or name its interpreter.");
}

} // namespace ringside::engines
