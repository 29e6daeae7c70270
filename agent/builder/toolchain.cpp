// SPDX-License-Identifier: MIT
#include "agent/builder/toolchain.h"

#include "agent/builder/modules.h"
#include "core/base/environment.h"
#include "core/base/findprogram.h"

#include <charconv>

namespace ringside::builder {

namespace {

constexpr std::chrono::seconds kLookLimit{20};
constexpr std::pair<int, int> kOldestCompiler{11, 0};
constexpr std::pair<int, int> kOldestCMake{3, 18};
constexpr int kNewestKnownCompiler = 16;

/// "cmake version 3.25.1" is 3.25.1.
std::string lastWord(const std::string& line)
{
    return line.substr(line.rfind(' ') + 1);
}

/// The plain name first, then newer ones beside it.
std::vector<std::string> compilerNames()
{
    std::vector<std::string> names;
    if (const char* chosen = environment("CXX"))
        names.emplace_back(chosen);
    names.emplace_back("g++");
    for (int version = kNewestKnownCompiler; version >= kOldestCompiler.first; --version) {
        names.push_back(fmt::format("g++-{}", version));
        names.push_back(fmt::format("/opt/rh/gcc-toolset-{}/root/usr/bin/g++", version)); // Red Hat's additional ones
    }
    return names;
}

Result<Tool> findCompiler(const Deadline& deadline)
{
    Tool best;
    for (const auto& name : compilerNames()) {
        const std::string path = findProgram(name);
        if (path.empty())
            continue;
        const Tool found{path, firstLineOf({path, "-dumpfullversion", "-dumpversion"}, deadline.atMost(kLookLimit))};
        if (versionNumbers(found.version) >= kOldestCompiler)
            return found;
        if (best.path.empty())
            best = found;
    }
    const std::string hint =
        "Load a module with g++ 11 or later (the site's modules setting)." + moduleHint("gcc", deadline);
    if (best.path.empty())
        return fail(ErrorCode::unavailable, "There is no C++ compiler (g++) here.", hint);
    return fail(ErrorCode::unavailable,
                fmt::format("The compiler here, {}, is version {}; the worker needs g++ 11.", best.path,
                            best.version.empty() ? "unknown" : best.version),
                hint);
}

Result<Tool> findCMake(const Deadline& deadline)
{
    Tool best;
    for (const char* name : {"cmake", "cmake3"}) {
        const std::string path = findProgram(name);
        if (path.empty())
            continue;
        best = {path, lastWord(firstLineOf({path, "--version"}, deadline.atMost(kLookLimit)))};
        if (versionNumbers(best.version) >= kOldestCMake)
            return best;
    }
    return fail(
        ErrorCode::unavailable,
        best.path.empty() ? "There is no CMake here."
                          : fmt::format("CMake here is version {}; the worker needs 3.18.", best.version),
        "Load a module with it (the site's modules setting), or install one for yourself: python3 -m pip install "
        "--user cmake." +
            moduleHint("cmake", deadline));
}

Result<void> findMaker(Toolchain& tools, const Deadline& deadline)
{
    static constexpr std::pair<const char*, const char*> kMakers[] = {
        {"ninja", "Ninja"}, {"ninja-build", "Ninja"}, {"make", "Unix Makefiles"}, {"gmake", "Unix Makefiles"}};
    for (const auto& [program, generator] : kMakers) {
        tools.maker = findProgram(program);
        tools.generator = generator;
        if (!tools.maker.empty())
            return {};
    }
    return fail(ErrorCode::unavailable, "There is neither make nor ninja here.",
                "Load a module with one of them (the site's modules setting)." + moduleHint("ninja", deadline));
}

Tool optional(const char* program, const std::vector<std::string>& version, const Deadline& deadline)
{
    const std::string path = findProgram(program);
    return path.empty() ? Tool{} : Tool{path, firstLineOf(version, deadline.atMost(kLookLimit))};
}

/// Returns the path with its links resolved; CUDA's folder is named after its version.
std::string canonical(const std::string& path)
{
    std::error_code ignored;
    return fs::weakly_canonical(path, ignored).string();
}

bool isSystemFolder(const std::string& folder)
{
    return folder.starts_with("/usr/lib") || folder.starts_with("/lib");
}

} // namespace

std::pair<int, int> versionNumbers(std::string_view version)
{
    std::pair<int, int> numbers{0, 0};
    const char* end = version.data() + version.size();
    const auto major = std::from_chars(version.data(), end, numbers.first);
    if (major.ec == std::errc{} && major.ptr != end && *major.ptr == '.')
        std::from_chars(major.ptr + 1, end, numbers.second);
    return numbers;
}

Result<Toolchain> findToolchain(const Deadline& deadline)
{
    Toolchain tools;
    TRY_ASSIGN(tools.compiler, findCompiler(deadline));
    TRY_ASSIGN(tools.cmake, findCMake(deadline));
    TRY(findMaker(tools, deadline));
    tools.mpi = optional("mpicc", {"mpirun", "--version"}, deadline);
    if (const std::string nvcc = findProgram("nvcc"); !nvcc.empty())
        tools.cuda = {nvcc, canonical(nvcc)};
    return tools;
}

std::string runtimePathOption(const Tool& compiler, const Deadline& deadline)
{
    const std::string library =
        firstLineOf({compiler.path, "-print-file-name=libstdc++.so"}, deadline.atMost(kLookLimit));
    const std::string folder = fs::path(canonical(library)).parent_path().string();
    return folder.empty() || isSystemFolder(folder) ? "" : "-Wl,-rpath," + folder;
}

} // namespace ringside::builder
