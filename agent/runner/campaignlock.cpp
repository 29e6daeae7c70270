// SPDX-License-Identifier: MIT
#include "agent/runner/campaignlock.h"

#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace ringside::runner {

Result<CampaignLock> CampaignLock::open(const fs::path& root)
{
    const fs::path path = layout::turnFile(root);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return tl::unexpected(systemError("cannot open", path, errno));
    return CampaignLock(fd);
}

CampaignLock::~CampaignLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

bool CampaignLock::take(const std::string& name)
{
    if (::flock(m_fd, LOCK_EX | LOCK_NB) != 0)
        return false;
    rename(name);
    return true;
}

void CampaignLock::rename(const std::string& name)
{
    if (::ftruncate(m_fd, 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(m_fd, name.data(), name.size(), 0); // for messages only
}

std::string CampaignLock::holder() const
{
    char name[200];
    const ssize_t n = ::pread(m_fd, name, sizeof name, 0);
    return plainText(std::string_view(name, n > 0 ? static_cast<std::size_t>(n) : 0));
}

} // namespace ringside::runner
