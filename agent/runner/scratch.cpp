// SPDX-License-Identifier: MIT
#include "agent/runner/scratch.h"

#include "agent/runner/nodefolder.h"
#include "agent/runner/procfs.h"
#include "core/base/environment.h"
#include "core/base/regularfile.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Open MPI appends some 60 bytes to TMPDIR for its sockets, of 107.
constexpr std::size_t kMaxBaseLength = 20;
/// A file that says what the folder is, and whose: it holds the node's name. Folders of earlier versions, which hold no
/// lock, have none.
constexpr const char* kMark = ".ringside-scratch";

/// Where nodes share a folder but not its locks, that of another node's living runner looks forsaken from here.
bool isMarkedHere(const fs::path& folder)
{
    constexpr std::uint64_t kMaxNameBytes = 1024;
    return readRegularFile(folder / kMark, kMaxNameBytes) == nodeName();
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

std::string scratchPrefix(const fs::path& attempt)
{
    const std::string folder = attempt.filename().string();
    const std::string number = folder.substr(folder.find('-') + 1);
    return fmt::format("{}{}-{}-", kScratchBegin, attempt.parent_path().filename().string().substr(0, 8), number);
}

fs::path temporaryBase()
{
    const char* chosen = environment("TMPDIR");
    return chosen && std::string_view(chosen).size() <= kMaxBaseLength ? chosen : "/tmp";
}

Result<Scratch> Scratch::make(const fs::path& base, const fs::path& attempt)
{
    std::string path = (base / (scratchPrefix(attempt) + "XXXXXX")).string();
    if (!::mkdtemp(path.data()))
        return tl::unexpected(systemError("cannot create the folder", path, errno));
    auto lock = FolderLock::take(path, FolderLock::Kind::shared);
    if (!lock)
        return Scratch(path, std::nullopt);
    // Without a mark it is left where it is, should we be killed.
    (void)writeFileAtomically(fs::path(path) / kMark, nodeName());
    return Scratch(path, std::move(*lock));
}

Scratch::~Scratch()
{
    std::error_code ignored; // a leftover in /tmp is harmless
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
}

void removeForsakenScratch(const fs::path& base)
{
    std::error_code ignored;
    for (fs::directory_iterator it(base, ignored), last; !ignored && it != last; it.increment(ignored)) {
        std::error_code problem;
        if (!it->path().filename().string().starts_with(kScratchBegin) || !isMarkedHere(it->path()))
            continue;
        if (const auto lock = FolderLock::take(it->path(), FolderLock::Kind::exclusive); lock)
            fs::remove_all(it->path(), problem);
    }
}

void removeForsakenScratch()
{
    removeForsakenScratch(temporaryBase());
    removeForsakenScratch(kSharedMemoryBase);
}

void removeScratchOf(const fs::path& attempt)
{
    removeFrom(temporaryBase(), scratchPrefix(attempt));
    removeFrom(kSharedMemoryBase, scratchPrefix(attempt));
    removeNodeFolderOf(attempt);
}

} // namespace ringside::runner
