// SPDX-License-Identifier: MIT
#include "core/base/findprogram.h"

#include "core/base/environment.h"

#include <sstream>
#include <unistd.h>

namespace ringside {

bool isExecutable(const fs::path& path)
{
    std::error_code ignored;
    return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
}

std::string findProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return isExecutable(name) ? name : "";
    const char* path = environment("PATH");
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path candidate = fs::path(folder) / name; isExecutable(candidate))
            return candidate.string();
    return {};
}

} // namespace ringside
