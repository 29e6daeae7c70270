// SPDX-License-Identifier: MIT
#include "agent/engines/install.h"

#include "agent/builder/resources.h"
#include "core/base/findprogram.h"
#include "core/base/folderlock.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/ranges.h>

namespace ringside::engines {

namespace {

using builder::Deadline;
using builder::Report;

constexpr std::size_t kLinesShown = 8;
constexpr const char* kPhase = "install";

bool isName(const std::string& name)
{
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    return !name.empty() && name.size() <= 40 && name.front() != '-' &&
           name.find_first_not_of(kLetters) == std::string::npos;
}

Result<fs::path> folderOf(const fs::path& root, const std::string& name)
{
    if (!isName(name))
        return fail(ErrorCode::usage, fmt::format("“{}” is no name of a system.", plainText(name.substr(0, 40))));
    return layout::enginesFolder(root) / name;
}

/// Where pip and compilers put what they need for a while. Of this process.
void workBelow(const fs::path& folder, const Installation& installation)
{
    for (const auto& [name, value] : installation.environment)
        setenv(name.c_str(), value.c_str(), 1);
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    setenv("PIP_CACHE_DIR", (folder / "cache").c_str(), 1);
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    unsetenv("PYTHONPATH");
    unsetenv("PYTHONHOME");
}

std::string neededText(const Installation& installation)
{
    std::string text = "Its output says what is missing.";
    if (!installation.needs.empty())
        text += fmt::format(" It needs (Debian): {}.", fmt::join(installation.needs, " "));
    return text;
}

Result<void> carryOut(const std::vector<std::string>& words, const std::string& what, const Installation& installation,
                      const Deadline& deadline, const Report& report, int percent)
{
    TRY_ASSIGN(const builder::Ended ended, builder::run({words}, deadline, [&](std::string_view line) {
                   report({kPhase, percent, plainText(line.substr(0, 200))});
               }));
    if (ended.good())
        return {};
    return fail(ErrorCode::unavailable, fmt::format("{} failed: {}", what, ended.lastLines(kLinesShown)),
                neededText(installation));
}

Result<void> makeEnvironment(const InstallOptions& options, const fs::path& folder, const Deadline& deadline,
                             const Report& report)
{
    if (isExecutable(folder / "bin/python"))
        return {};
    TRY_ASSIGN(const Interpreter interpreter, findInterpreter(options.installation.python, options.python, deadline));
    report({kPhase, 1, fmt::format("Making an environment with Python {}", interpreter.version)});
    return carryOut({interpreter.program.string(), "-m", "venv", folder.string()},
                    fmt::format("“{} -m venv”", interpreter.program.string()), options.installation, deadline, report,
                    1);
}

/// In their order: a package that is compiled may need those before it.
Result<void> installPackages(const InstallOptions& options, const fs::path& folder, const Deadline& deadline,
                             const Report& report)
{
    const std::size_t count = options.installation.packages.size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& package = options.installation.packages[i];
        const int percent = 5 + static_cast<int>(90 * i / count);
        report({kPhase, percent, fmt::format("Installing {}", package)});
        std::vector<std::string> words{(folder / "bin/python").string(), "-m", "pip", "install", "--no-input",
                                       "--disable-pip-version-check"};
        words.insert(words.end(), options.installation.pipOptions.begin(), options.installation.pipOptions.end());
        if (!options.wheels.empty())
            words.insert(words.end(), {"--no-index", "--find-links", options.wheels});
        words.push_back(package);
        TRY(carryOut(words, fmt::format("Installing {}", package), options.installation, deadline, report, percent));
    }
    return {};
}

Result<std::string> installedVersion(const InstallOptions& options, const fs::path& folder, const Deadline& deadline)
{
    if (options.installation.module.empty())
        return std::string();
    const std::string program =
        fmt::format("import {0}; print('version', {0}.__version__)", options.installation.module);
    TRY_ASSIGN(const builder::Ended ended, builder::run({{(folder / "bin/python").string(), "-c", program}}, deadline));
    const std::size_t at = ended.output.rfind("version ");
    if (!ended.good() || at == std::string::npos)
        return fail(ErrorCode::damaged,
                    fmt::format("What was installed cannot be used: {}", ended.lastLines(kLinesShown)),
                    neededText(options.installation));
    const std::string line = ended.output.substr(at + 8);
    return plainText(line.substr(0, line.find('\n')));
}

} // namespace

Result<InstalledEngine> install(const InstallOptions& options, const Deadline& deadline, const Report& report)
{
    TRY_ASSIGN(const fs::path folder, folderOf(options.root, options.name));
    const auto known = installedEngines(options.root);
    if (const auto found = known.find(options.name);
        found != known.end() && found->second.packages == options.installation.packages)
        return found->second;
    TRY(makePrivateFolder(folder / "tmp"));
    TRY_ASSIGN(const FolderLock lock, FolderLock::take(folder, FolderLock::Kind::exclusive));
    TRY(builder::checkSpace(folder, options.installation.bytes, options.name, "Free some space, or use another root."));
    TRY(makeEnvironment(options, folder, deadline, report));
    workBelow(folder, options.installation);
    TRY(installPackages(options, folder, deadline, report));
    report({kPhase, 97, "Trying it"});
    TRY_ASSIGN(const std::string version, installedVersion(options, folder, deadline));
    std::error_code ignored;
    for (const char* name : {"tmp", "cache"})
        fs::remove_all(folder / name, ignored);
    const InstalledEngine engine{version, (folder / "bin/python").string(), folder.string(),
                                 options.installation.packages};
    TRY(writeInstalledEngine(folder, engine));
    return engine;
}

Result<std::uint64_t> remove(const fs::path& root, const std::string& name)
{
    TRY_ASSIGN(const fs::path folder, folderOf(root, name));
    std::error_code problem;
    if (!fs::is_directory(folder, problem))
        return fail(ErrorCode::notFound, fmt::format("{} is not installed here.", name));
    TRY_ASSIGN(const FolderLock lock, FolderLock::take(folder, FolderLock::Kind::exclusive));
    fs::remove(folder / "engine.json", problem); // so that what is left, if this is cut off, is none
    std::uint64_t bytes = 0;
    for (auto entry = fs::recursive_directory_iterator(folder, problem); entry != fs::recursive_directory_iterator();
         entry.increment(problem))
        if (entry->is_regular_file(problem) && !entry->is_symlink(problem))
            bytes += entry->file_size(problem);
    fs::remove_all(folder, problem);
    if (problem)
        return fail(ErrorCode::io, fmt::format("{} cannot be removed: {}.", folder.string(), problem.message()),
                    "Remove the folder by hand.");
    return bytes;
}

} // namespace ringside::engines
