// SPDX-License-Identifier: MIT
#include "agent/engines/linkedlibraries.h"

#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/base/findprogram.h"

#include <sstream>

namespace ringside::engines {

namespace {

bool isFile(const fs::path& file)
{
    std::error_code ignored;
    return fs::is_regular_file(file, ignored);
}

/// The contents of the loader's cache, a line a library: "libmpi.so.40 (libc6,x86-64) =>
/// /lib/x86_64-linux-gnu/libmpi.so.40".
std::string loaderCache(const builder::Deadline& deadline)
{
    std::string ldconfig = findProgram("ldconfig"); // which the PATH of many users lacks
    const auto answer = builder::run({ldconfig.empty() ? "/sbin/ldconfig" : ldconfig, "-p"}, deadline);
    return answer && answer->good() ? answer->output : std::string();
}

/// Returns where the loader would find it; empty: nowhere.
fs::path placeOf(const std::string& library, const std::string& path, const std::string& cache)
{
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty() && isFile(fs::path(folder) / library))
            return fs::path(folder) / library;
    std::istringstream lines(cache);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(" \t"), arrow = line.find("=> ");
        if (begin == std::string::npos || arrow == std::string::npos ||
            line.compare(begin, library.size(), library) != 0)
            continue;
        if (const fs::path file = line.substr(arrow + 3); line[begin + library.size()] == ' ' && isFile(file))
            return file;
    }
    return {};
}

Result<void> link(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::remove(from, error);
    fs::create_symlink(to, from, error);
    if (error)
        return fail(ErrorCode::io, fmt::format("{} cannot be created: {}.", from.string(), error.message()));
    return {};
}

} // namespace

Result<std::string> linkLibraries(const fs::path& folder, const std::map<std::string, std::string>& libraries,
                                  const builder::Deadline& deadline)
{
    const char* set = environment("LD_LIBRARY_PATH");
    const std::string path = set ? set : "";
    const std::string cache = loaderCache(deadline);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    TRY(makePrivateFolder(folder));
    for (const auto& [name, library] : libraries)
        if (const fs::path place = placeOf(library, path, cache); !place.empty())
            TRY(link(folder / name, place));
    return path.empty() ? folder.string() : folder.string() + ":" + path;
}

} // namespace ringside::engines
