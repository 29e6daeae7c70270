// SPDX-License-Identifier: MIT
#include "agent/worker/data/newfile.h"

#include "core/base/say.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::uintmax_t kSpareSpace = 64 << 20; ///< bytes left free for spools and logs

} // namespace

Result<void> checkSpace(const fs::path& folder, std::uintmax_t bytes, std::string_view what)
{
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    const std::uintmax_t needed = bytes + kSpareSpace;
    if (error || space.available >= needed)
        return {};
    return fail(ErrorCode::noSpace,
                fmt::format("{} has {} free, {} need {}.", folder.string(), humanBytes(space.available), what,
                            humanBytes(needed)),
                "Free space there, or choose another folder for data.");
}

Result<NewFile> NewFile::create(const fs::path& path)
{
    NewFile file(Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)), path);
    if (file.m_file.get() < 0)
        return tl::unexpected(systemError("Cannot write", path, errno));
    return file;
}

Result<void> NewFile::append(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t n = write(m_file.get(), bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(std::size_t(n));
        else if (errno != EINTR)
            return tl::unexpected(systemError("Cannot write", m_path, errno));
    }
    return {};
}

Result<void> NewFile::flush()
{
    if (fsync(m_file.get()) != 0)
        return tl::unexpected(systemError("Cannot write", m_path, errno));
    return {};
}

Result<void> NewFile::close()
{
    if (::close(m_file.release()) != 0)
        return tl::unexpected(systemError("Cannot write", m_path, errno));
    return {};
}

Result<void> writeNewFile(const fs::path& path, std::string_view bytes)
{
    TRY_ASSIGN(NewFile file, NewFile::create(path));
    TRY(file.append(bytes));
    return file.close();
}

Result<void> flushFileSystem(const fs::path& folder)
{
    const Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() < 0 || syncfs(file.get()) != 0)
        return tl::unexpected(systemError("Cannot write", folder, errno));
    return {};
}

void sayProgress(const char* what, std::size_t done, std::size_t all)
{
    constexpr std::size_t few = 100; // take no time worth a word
    const std::size_t step = std::max<std::size_t>(1, all / 10);
    if (all >= few && (done % step == 0 || done == all))
        sayError("{}: {} of {}", what, done, all);
}

} // namespace ringside
