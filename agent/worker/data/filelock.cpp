// SPDX-License-Identifier: MIT
#include "agent/worker/data/filelock.h"

#include "core/base/lockwithin.h"
#include "core/base/say.h"

#include <fcntl.h>

namespace ringside {

Result<FileLock> FileLock::acquire(const fs::path& path, std::chrono::seconds limit, const std::string& waiting)
{
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError("Cannot write", path, errno));
    const int refused = lockWithin(limit, file, [&] { sayLine(waiting); });
    if (refused == EWOULDBLOCK)
        return fail(ErrorCode::timeout,
                    fmt::format("Another process has held {} for {} s.", path.string(), limit.count()),
                    "If it hangs, end it and try again.");
    return FileLock(std::move(file), refused == 0);
}

} // namespace ringside
