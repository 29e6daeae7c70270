// SPDX-License-Identifier: MIT
#include "agent/engines/install.h"

#include "agent/builder/modules.h"
#include "agent/builder/pipvariables.h"
#include "agent/builder/resources.h"
#include "agent/cleaner/inventory.h"
#include "agent/drivers/driverfolder.h"
#include "agent/engines/installclaim.h"
#include "agent/engines/linkedlibraries.h"
#include "agent/engines/watchedcommands.h"
#include "agent/engines/whypipfailed.h"
#include "core/base/controlgroup.h"
#include "core/base/files.h"
#include "core/base/findprogram.h"
#include "core/base/text.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace ringside::engines {

namespace {

using builder::Deadline;
using builder::Report;

constexpr int kAllPackages = 95;     ///< %
constexpr std::size_t kCompiled = 8; ///< times as long as a package
/// So long at most another process that only looks, for an order to end, say, holds the folder.
constexpr std::chrono::milliseconds kBriefClaim{200};
/// Limit of variables that a module sets, in engine.json.
constexpr std::size_t kMostVariable = 4096;

constexpr const char* kOwnFiles[] = {"tmp", "cache", "build", "progress", "cancel"};
/// The environment, which an interpreter elsewhere takes the place of.
constexpr const char* kEnvironment[] = {"venv-made", "pyvenv.cfg", "bin", "lib", "lib64", "include", "share", "etc"};

Result<fs::path> folderOf(const fs::path& root, const std::string& name)
{
    if (!isEngineName(name))
        return fail(ErrorCode::usage,
                    fmt::format("“{}” cannot be the name of a system.", plainText(name.substr(0, 40))));
    return layout::enginesFolder(root) / name;
}

/// Whole, and as it is wanted now.
std::optional<InstalledEngine> wanted(const InstallOptions& options)
{
    const auto known = installedEngines(options.root);
    const auto found = known.find(options.name);
    const bool isAsItIs = options.python.empty() && options.modules.empty();
    if (found == known.end() || !isAsItIs || !isAsWanted(found->second, options.installation))
        return std::nullopt;
    return found->second;
}

/// Returns what modules set, and no more of their shell: it goes with the plan into each rank, whose job has its own.
Result<builder::Variables> loaded(const std::vector<std::string>& modules, const Deadline& deadline)
{
    TRY_ASSIGN(builder::Variables set, builder::loadModules(modules, deadline));
    for (const auto& [name, value] : set)
        if (value.size() > kMostVariable)
            return fail(ErrorCode::usage, fmt::format("The modules make {} longer than {} bytes.", name, kMostVariable),
                        "Load fewer modules.");
    return set;
}

/// One installation, by the process that holds the folder.
class Work
{
public:
    Work(const InstallOptions& options, fs::path folder, const Deadline& deadline, const Report& report,
         const runner::FolderClaim* claim)
        : m_options(options)
        , m_installation(options.installation)
        , m_folder(std::move(folder))
        , m_deadline(deadline)
        , m_commands(m_folder, options.name, options.installation, deadline, report, claim)
    {
    }

    Result<InstalledEngine> carryOut()
    {
        TRY(mayChange());
        TRY(makePrivateFolder(m_folder / "tmp"));
        TRY_ASSIGN(builder::Variables environment, loaded(m_options.modules, m_deadline));
        if (!m_installation.libraries.empty()) {
            TRY_ASSIGN(const std::string path,
                       linkLibraries(m_folder / "libraries", m_installation.libraries, m_deadline));
            setenv("LD_LIBRARY_PATH", path.c_str(), 1);
            environment["LD_LIBRARY_PATH"] = path;
        }
        TRY_ASSIGN(const std::string interpreter, interpreterThatIsThere());
        InstalledEngine engine{{}, interpreter, m_folder.string(), {}, environment};
        if (m_installation.takesWhatIsThere()) {
            TRY_ASSIGN(engine.python, pythonThatIsThere(engine.python));
        } else if (engine.python.empty() || !m_options.wheels.empty() || !has(engine)) {
            TRY_ASSIGN(engine.python, make(engine.python));
            engine.packages = packagesOf(m_installation);
        }
        TRY_ASSIGN(engine.version, version(engine.python));
        TRY(checkVersion(engine));
        TRY(m_commands.mustHoldFolder());
        std::error_code ignored;
        for (const char* name : kOwnFiles)
            fs::remove_all(m_folder / name, ignored);
        TRY(writeInstalledEngine(m_folder, engine));
        if (runsByOtherInterpreter())
            for (const char* name : kEnvironment)
                fs::remove_all(m_folder / name, ignored);
        return engine;
    }

    Result<std::string> version(const std::string& python)
    {
        if (!m_installation.program.empty())
            return versionOfProgram();
        if (m_installation.module.empty())
            return std::string();
        const std::string& module = m_installation.module; // horovod.torch has the version of horovod
        std::vector<std::string> imported = m_installation.imports;
        imported.insert(imported.begin(), module);
        const std::string program = fmt::format("import {}; print('version', {}.__version__)",
                                                fmt::join(imported, ", "), module.substr(0, module.find('.')));
        TRY_ASSIGN(const builder::Answer answer, m_commands.run({python, "-c", program}));
        const std::size_t at = answer.output.rfind("version ");
        if (!answer.good() || at == std::string::npos)
            return fail(ErrorCode::damaged,
                        fmt::format("{} cannot use {}: {}", python, m_installation.module,
                                    builder::lastLines(answer.output, kLinesShown)),
                        needs(m_installation));
        const std::string line = answer.output.substr(at + 8);
        return plainText(line.substr(0, line.find('\n')));
    }

private:
    /// The named one, else python3 of PATH, which is enough for drivers that need no more.
    Result<std::string> pythonThatIsThere(const std::string& named) const
    {
        const std::string found = named.empty() ? findProgram("python3") : named;
        if (found.empty())
            return fail(ErrorCode::unavailable, "There is no python3 in PATH here.",
                        "Install it (Debian: python3), or put its folder into PATH where you log in.");
        TRY_ASSIGN(const Interpreter chosen, findInterpreter(m_installation.python, found, {}, m_deadline));
        return chosen.program.string();
    }

    Result<std::string> programOfSystem() const
    {
        if (!m_installation.takesWhatIsThere())
            return (m_folder / "bin" / m_installation.program).string();
        const std::string found = findProgram(m_installation.program);
        if (found.empty())
            return fail(
                ErrorCode::unavailable, fmt::format("There is no {} in PATH here.", m_installation.program),
                "Put its folder into PATH where you log in, or name its module: “ringside-cli engine install” has "
                "--module.");
        return found;
    }

    /// Searches its output for the word behind “version”, else for the first that begins as one: some print the time of
    /// day before.
    Result<std::string> versionOfProgram()
    {
        TRY_ASSIGN(const std::string program, programOfSystem());
        TRY_ASSIGN(const builder::Answer answer, m_commands.run({program, "--version"}));
        std::istringstream said(answer.output);
        std::string first, before;
        for (std::string word; answer.good() && said >> word; before = word) {
            const bool isVersion = isDigit(word.front());
            if (isVersion && before == "version")
                return plainText(word);
            first = isVersion && first.empty() ? word : first;
        }
        if (!first.empty())
            return plainText(first);
        return fail(
            ErrorCode::damaged,
            fmt::format("{} does not report its version: {}", program, builder::lastLines(answer.output, kLinesShown)),
            needs(m_installation));
    }

    /// An environment that runs need stays as it is. None needs one that is not whole, or whose interpreter is gone.
    Result<void> mayChange()
    {
        const InstalledEngines known = installedEngines(m_options.root);
        const auto found = known.find(m_options.name);
        if (found == known.end() || found->second.isGone)
            return {};
        const Reason here = cleaner::whoNeedsEngine(m_options.root, m_options.name);
        const Reason& who = here.empty() ? m_options.whyKept : here;
        if (who.empty())
            return {};
        return fail(ErrorCode::busy, fmt::format("{} is in use. {}", m_options.name, jobs::sentenceOf(who)),
                    "Install it once that is over.");
    }

    /// The named one, or that of the modules, as an absolute path; empty: none is named.
    Result<std::string> interpreterThatIsThere() const
    {
        const bool isOfModules = m_options.python.empty() && !m_options.modules.empty();
        const std::string name = isOfModules ? "python3" : m_options.python;
        if (name.empty() || fs::path(name).is_absolute())
            return name;
        if (name.find('/') != std::string::npos)
            return fail(ErrorCode::usage, fmt::format("{} is not an absolute path.", plainText(name)),
                        "Write the interpreter's whole path, or its name in PATH.");
        const std::string found = findProgram(name);
        if (found.empty() && !isOfModules)
            return fail(ErrorCode::unavailable, fmt::format("There is no {} in PATH here.", plainText(name)),
                        "Write the interpreter's whole path.");
        return found.empty() ? found : fs::absolute(found).string();
    }

    bool has(InstalledEngine& engine)
    {
        m_commands.report(1, fmt::format("Looking for {} in {}", m_installation.module, engine.python));
        if (m_installation.module.empty())
            return false;
        const auto found = version(engine.python);
        if (!found)
            m_commands.report(2, found.error().message);
        return found.has_value();
    }

    Result<void> checkVersion(const InstalledEngine& engine) const
    {
        if (m_installation.versions.mayContain(engine.version))
            return {};
        return fail(ErrorCode::unavailable,
                    fmt::format("{} {} is installed; its table is for {}.", m_options.name, engine.version,
                                m_installation.versions.text()),
                    "Use another interpreter, or adapt the table to this version.");
    }

    /// The interpreter of an environment that holds the packages.
    Result<std::string> make(const std::string& interpreter)
    {
        TRY(m_commands.mustHoldFolder());
        TRY(checkWheels());
        TRY_ASSIGN(const Interpreter chosen,
                   findInterpreter(m_installation.python, interpreter, m_options.wheels, m_deadline));
        const std::uint64_t there = cleaner::bytesBelow(m_folder);
        TRY(builder::checkSpace(m_folder, m_installation.bytes - std::min(m_installation.bytes, there), m_options.name,
                                "Free some space, or use another root."));
        workBelow();
        TRY(fill(chosen));
        if (!m_installation.source.empty())
            TRY(compileSource());
        m_commands.report(97, "Checking that it works");
        return (m_folder / "bin/python").string();
    }

    Result<void> checkWheels() const
    {
        std::error_code ignored;
        if (m_options.wheels.empty() || fs::is_directory(m_options.wheels, ignored))
            return {};
        return fail(ErrorCode::usage, fmt::format("There is no folder {} here.", plainText(m_options.wheels)),
                    "Copy the wheels to this machine first.");
    }

    /// Sets variables in this process.
    void workBelow()
    {
        for (const auto& [name, value] : m_installation.environment)
            setenv(name.c_str(), value.c_str(), 1);
        m_pip.emplace(m_folder);
    }

    /// While it is changed it is not whole, and has no engine.json. It gets that back where no package was added or
    /// removed: there was no network, say. One that runs by an interpreter elsewhere works meanwhile, and stays until
    /// the new one replaces it.
    Result<void> fill(const Interpreter& interpreter)
    {
        if (runsByOtherInterpreter())
            return putPackages(interpreter);
        const fs::path about = m_folder / "engine.json";
        const auto before = readFile(about);
        const std::int64_t changedNs = packagesChangedNs();
        std::error_code ignored;
        fs::remove(about, ignored);
        const auto filled = putPackages(interpreter);
        if (!filled && before && packagesChangedNs() == changedNs && m_commands.mustHoldFolder())
            TRY(writeFileAtomically(about, *before));
        return filled;
    }

    /// By the folder of the interpreter: that of an environment is itself a link to one elsewhere.
    bool runsByOtherInterpreter() const
    {
        const auto known = installedEngines(m_options.root);
        const auto found = known.find(m_options.name);
        return found != known.end() && !found->second.python.empty() &&
               !cleaner::isBelow(fs::path(found->second.python).parent_path(), m_folder);
    }

    Result<void> putPackages(const Interpreter& interpreter)
    {
        return makeEnvironment(interpreter).and_then([this] { return installPackages(); });
    }

    /// Returns when a package was last added or removed: pip puts each into this folder itself, with what it knows of
    /// it.
    std::int64_t packagesChangedNs() const
    {
        std::int64_t latestNs = 0;
        std::error_code ignored;
        for (const auto& python : fs::directory_iterator(m_folder / "lib", ignored))
            latestNs = std::max(latestNs, modifiedNs(python.path() / "site-packages"));
        return latestNs;
    }

    /// A half-made one has an interpreter, too: the mark shows that pip is in it, and of which version it is. In two
    /// steps, since venv hides why pip could not be installed there; and from scratch, since pip cannot be installed
    /// over half of it.
    Result<void> makeEnvironment(const Interpreter& interpreter)
    {
        const fs::path mark = m_folder / "venv-made";
        if (readFile(mark).value_or("") == interpreter.version && isThere(m_folder / "bin/python"))
            return {};
        std::error_code ignored;
        for (const char* half : {"venv-made", "bin", "lib"})
            fs::remove_all(m_folder / half, ignored);
        TRY(m_commands.mustRun({interpreter.program.string(), "-m", "venv", "--without-pip", m_folder.string()},
                               fmt::format("Making an environment with Python {}", interpreter.version), 2));
        TRY(m_commands.mustRun({(m_folder / "bin/python").string(), "-m", "ensurepip", "--default-pip"},
                               "Installing pip", 3));
        return writeFileAtomically(mark, interpreter.version);
    }

    /// In their order: a package that is compiled may need those before it.
    Result<void> installPackages()
    {
        const std::size_t count = m_installation.packages.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::string& package = m_installation.packages[i];
            TRY(m_commands.mustRun(pip("install", builder::pipsOwnPlace(), package),
                                   fmt::format("Installing {}", package), percentOf(i)));
        }
        return {};
    }

    /// Returns the progress once so many packages are there.
    int percentOf(std::size_t packages) const
    {
        const std::size_t all = m_installation.packages.size() + (m_installation.source.empty() ? 0 : kCompiled);
        return kFirstPackage + static_cast<int>((kAllPackages - kFirstPackage) * packages / all);
    }

    std::vector<std::string> pip(const char* command, const std::vector<std::string>& options,
                                 const std::string& package) const
    {
        std::vector<std::string> words{(m_folder / "bin/python").string(), "-m",        "pip", command, "--no-input",
                                       "--disable-pip-version-check",      "--retries", "2"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), m_installation.pipOptions.begin(), m_installation.pipOptions.end());
        if (!m_options.wheels.empty())
            words.insert(words.end(), {"--no-index", "--find-links", fs::absolute(m_options.wheels).string()});
        words.push_back(package);
        return words;
    }

    /// Into the environment's bin/. Compiled parts of an interrupted installation are not compiled again, unless they
    /// are of other sources.
    Result<void> compileSource()
    {
        const std::string cmake = findProgram("cmake");
        if (cmake.empty())
            return fail(ErrorCode::unavailable, fmt::format("There is no cmake here to compile {}.", m_options.name),
                        needs(m_installation));
        TRY_ASSIGN(const fs::path drivers, driverFolder(m_options.root));
        const std::string project = (drivers / m_installation.build).string();
        const int percent = percentOf(m_installation.packages.size());
        TRY_ASSIGN(const std::string source, fetchedSource(project, percent));
        const std::string build = (m_folder / "build/objects").string();
        m_commands.beginCompiling();
        const std::string what = fmt::format("Compiling {}", m_installation.source);
        TRY(m_commands.mustRun(
            {cmake, "-S", project, "-B", build, "-DSOURCE=" + source, "-DCMAKE_INSTALL_PREFIX=" + m_folder.string()},
            what, percent));
        const int jobs = builder::jobsFor(builder::usableCores(), availableMemory());
        TRY(m_commands.mustRun({cmake, "--build", build, "--parallel", std::to_string(jobs)}, what, percent));
        return m_commands.mustRun({cmake, "--install", build}, what, kAllPackages);
    }

    /// The folder that the package's archive holds. The mark of a whole one says of which package it is, and for which
    /// project, since CMake goes on with no other one's parts: that of another version of Ringside is one.
    Result<std::string> fetchedSource(const std::string& project, int percent)
    {
        const std::string made = m_installation.source + "\n" + project;
        const fs::path folder = m_folder / "build/source", whole = m_folder / "build/source-whole";
        if (readFile(whole).value_or("") != made) {
            std::error_code ignored;
            fs::remove_all(m_folder / "build", ignored);
            TRY(makePrivateFolder(folder));
            const std::vector<std::string> options{"--no-deps", "--no-binary", ":all:", "--dest",
                                                   (m_folder / "build").string()};
            TRY(m_commands.mustRun(pip("download", options, m_installation.source),
                                   fmt::format("Fetching {}", m_installation.source), percent));
            TRY_ASSIGN(const fs::path archive, onlyArchive());
            TRY(m_commands.mustRun({"tar", "xzf", archive.string(), "--strip-components=1", "-C", folder.string()},
                                   fmt::format("Unpacking {}", m_installation.source), percent));
            TRY(writeFileAtomically(whole, made));
        }
        return folder.string();
    }

    Result<fs::path> onlyArchive() const
    {
        std::error_code ignored;
        for (const fs::directory_entry& entry : fs::directory_iterator(m_folder / "build", ignored))
            if (entry.path().string().ends_with(".tar.gz"))
                return entry.path();
        return fail(ErrorCode::damaged,
                    fmt::format("The package {} contains no source archive.", m_installation.source));
    }

    const InstallOptions& m_options;
    const Installation& m_installation;
    fs::path m_folder;
    const Deadline& m_deadline;
    WatchedCommands m_commands;
    std::optional<builder::PipVariables> m_pip; ///< once pip is needed
};

} // namespace

Result<InstalledEngine> install(const InstallOptions& options, const Deadline& deadline, const Report& report)
{
    TRY_ASSIGN(const fs::path folder, folderOf(options.root, options.name));
    if (auto whole = wanted(options))
        return *whole;
    TRY_ASSIGN(const runner::FolderClaim claim, awaitInstallClaim(options.name, folder, deadline, report));
    if (auto whole = wanted(options))
        return *whole;
    auto engine = Work(options, folder, deadline, report, &claim).carryOut();
    std::error_code ignored;
    if (!engine && claim.isHeld() && !isThere(folder / "pyvenv.cfg") && !isThere(folder / "engine.json"))
        fs::remove_all(folder, ignored); // nothing to go on from
    return engine;
}

Result<InstalledEngine> verify(const InstallOptions& options, const Deadline& deadline)
{
    TRY_ASSIGN(const fs::path folder, folderOf(options.root, options.name));
    const auto known = installedEngines(options.root);
    const auto found = known.find(options.name);
    if (found == known.end())
        return fail(ErrorCode::notFound, fmt::format("{} is not installed here.", options.name)); // the asker adds how
    InstalledEngine engine = found->second;
    if (engine.isGone)
        return fail(ErrorCode::notFound, fmt::format("Its interpreter {} is gone.", plainText(engine.python)));
    for (const auto& [name, value] : engine.environment)
        setenv(name.c_str(), value.c_str(), 1);
    dropOldOrder(folder);
    const Report silent = [](const builder::Progress&) {};
    TRY_ASSIGN(engine.version, Work(options, folder, deadline, silent, nullptr).version(engine.python));
    return engine;
}

Result<void> cancelInstallation(const fs::path& root, const std::string& name)
{
    TRY_ASSIGN(const fs::path folder, folderOf(root, name));
    auto claim = runner::FolderClaim::take(folder);
    if (!claim && claim.error().code == ErrorCode::busy) {
        std::this_thread::sleep_for(kBriefClaim);
        claim = runner::FolderClaim::take(folder);
    }
    if (claim || claim.error().code == ErrorCode::notFound)
        return fail(ErrorCode::notFound, fmt::format("{} is not being installed here.", name));
    return claim.error().code == ErrorCode::busy ? writeFileAtomically(folder / "cancel", "")
                                                 : tl::unexpected(claim.error());
}

} // namespace ringside::engines
