// SPDX-License-Identifier: MIT
#include "core/jobs/programs.h"

#include "core/base/environment.h"

#include <sstream>
#include <unistd.h>

namespace ringside::jobs {

bool isExecutable(const fs::path& path)
{
    std::error_code ignored;
    return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
}

bool isInPath(const char* program)
{
    const char* path = environment("PATH");
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (isExecutable(fs::path(folder) / program))
            return true;
    return false;
}

} // namespace ringside::jobs
