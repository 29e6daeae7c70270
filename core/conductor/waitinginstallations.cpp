// SPDX-License-Identifier: MIT
#include "core/conductor/waitinginstallations.h"

#include "core/base/words.h"

#include <algorithm>

namespace ringside {

std::uint64_t WaitingInstallations::add(const std::string& site, const std::string& system,
                                        Completion<InstalledEngine> done)
{
    const std::lock_guard lock(m_mutex);
    m_waiting.emplace(++m_last, Waiting{{site, system}, std::move(done)});
    return m_last;
}

void WaitingInstallations::fail(std::uint64_t number, const Error& error)
{
    Completion<InstalledEngine> failed;
    handOver(number, [&](Completion<InstalledEngine> done) { failed = std::move(done); });
    complete(failed, tl::unexpected(error));
}

bool WaitingInstallations::cancel(const std::string& site, const std::string& system)
{
    std::unique_lock lock(m_mutex);
    const auto found =
        std::ranges::find_if(m_waiting, [&](const auto& each) { return each.second.what == std::pair(site, system); });
    if (found == m_waiting.end())
        return false;
    Completion<InstalledEngine> done = std::move(found->second.done);
    m_waiting.erase(found);
    lock.unlock();
    complete(done, ringside::fail(ErrorCode::cancelled, Words::tr("The installation of {} was cancelled.", system),
                                  Words::tr("It had not begun.")));
    return true;
}

} // namespace ringside
