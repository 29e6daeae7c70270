// SPDX-License-Identifier: MIT
#include "agent/runner/campaignlock.h"

#include "core/base/lockwithin.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Behind the holder's name.
constexpr std::string_view kHeldLine = "\nheld";

} // namespace

Result<CampaignLock> CampaignLock::open(const fs::path& root)
{
    const fs::path path = layout::campaignLockFile(root);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError("cannot open", path, errno));
    return CampaignLock(std::move(file));
}

bool CampaignLock::take(const Holder& self)
{
    const bool isLocked = ::flock(m_file.get(), LOCK_EX | LOCK_NB) == 0;
    m_isShared = !isLocked && meansNoLocks(errno);
    if (!isLocked && !m_isShared)
        return false;
    describe(self);
    return true;
}

void CampaignLock::describe(const Holder& self)
{
    const std::string text = self.name + (self.held ? std::string(kHeldLine) : std::string());
    if (::ftruncate(m_file.get(), 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(m_file.get(), text.data(), text.size(), 0); // for messages only
}

CampaignLock::Holder CampaignLock::holder() const
{
    char buffer[200];
    const ssize_t n = ::pread(m_file.get(), buffer, sizeof buffer, 0);
    std::string_view text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
    const bool held = text.ends_with(kHeldLine);
    text.remove_suffix(held ? kHeldLine.size() : 0);
    return {plainText(text), held};
}

} // namespace ringside::runner
