// SPDX-License-Identifier: MIT
#include "agent/runner/loadedlibraries.h"

#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>

namespace ringside::runner {

namespace {

constexpr std::uint64_t kMostBytes = 16u << 20; ///< thousands of libraries

/// Those of agent/drivers/common.py.
constexpr std::array<std::string_view, 10> kNames = {"blas",  "mkl",  "dnnl", "mpi",  "nccl",
                                                     "cudnn", "gomp", "iomp", "gloo", "cudart"};

bool computesOrCommunicates(std::string_view file)
{
    const std::string_view stem = file.substr(0, file.find(".so"));
    return file.starts_with("lib") && stem.size() < file.size() &&
           std::ranges::any_of(kNames, [&](auto name) { return stem.find(name) != std::string_view::npos; });
}

} // namespace

std::vector<std::string> loadedLibraries(pid_t process)
{
    const auto maps = readFile(fs::path("/proc") / std::to_string(process) / "maps", kMostBytes);
    std::set<std::string> files;
    std::istringstream lines(maps.value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t path = line.find('/'); path != std::string::npos)
            if (std::string file = fs::path(line.substr(path)).filename().string(); computesOrCommunicates(file))
                files.insert(std::move(file));
    return {files.begin(), files.end()};
}

} // namespace ringside::runner
