// SPDX-License-Identifier: MIT
#include "agent/runner/scratch.h"

#include "core/base/environment.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Open MPI appends some 60 bytes to TMPDIR for its sockets, of 107.
constexpr std::size_t kMaxBaseLength = 20;

/// runs/<uuid>/attempt-k -> "ringside-<first 8>-k-"
std::string prefix(const fs::path& attempt)
{
    const std::string folder = attempt.filename().string();
    const std::string number = folder.substr(folder.find('-') + 1);
    return fmt::format("ringside-{}-{}-", attempt.parent_path().filename().string().substr(0, 8), number);
}

bool isOurs(const fs::path& folder)
{
    struct stat info;
    return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

void removeFrom(const fs::path& base, const std::string& names)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(base, ignored))
        if (entry.path().filename().string().starts_with(names) && isOurs(entry.path()))
            fs::remove_all(entry.path(), ignored);
}

} // namespace

fs::path temporaryBase()
{
    const char* chosen = environment("TMPDIR");
    return chosen && std::string_view(chosen).size() <= kMaxBaseLength ? chosen : "/tmp";
}

Result<Scratch> Scratch::make(const fs::path& base, const fs::path& attempt)
{
    std::string path = (base / (prefix(attempt) + "XXXXXX")).string();
    if (!::mkdtemp(path.data()))
        return tl::unexpected(systemError("cannot create the folder", path, errno));
    return Scratch(path);
}

Scratch::~Scratch()
{
    std::error_code ignored; // a leftover in /tmp harms nobody
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
}

void removeScratchOf(const fs::path& attempt)
{
    removeFrom(temporaryBase(), prefix(attempt));
    removeFrom(kSharedMemoryBase, prefix(attempt));
}

} // namespace ringside::runner
