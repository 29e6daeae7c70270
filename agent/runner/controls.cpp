// SPDX-License-Identifier: MIT
#include "agent/runner/controls.h"

#include "core/protocol/layout.h"

#include <cerrno>
#include <sys/stat.h>
#include <thread>

namespace ringside::runner {

namespace {

/// Not merely out of reach: only the file system's word that it was removed counts.
bool wasRemoved(const fs::path& file)
{
    struct stat info;
    return ::stat(file.c_str(), &info) != 0 && (errno == ENOENT || errno == ESTALE);
}

} // namespace

bool Controls::hold() const
{
    return isThere(layout::holdFile(m_campaign));
}

bool Controls::cancelAll() const
{
    return isThere(layout::cancelFile(m_campaign));
}

bool Controls::cancel(const RunId& run) const
{
    return cancelAll() || isThere(layout::cancelFile(m_campaign, run));
}

bool Controls::isGone(std::chrono::milliseconds pause) const
{
    const fs::path plan = layout::planFile(m_campaign);
    if (!wasRemoved(plan))
        return false;
    std::this_thread::sleep_for(pause);
    return wasRemoved(plan);
}

} // namespace ringside::runner
