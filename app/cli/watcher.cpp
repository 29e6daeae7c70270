// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/watcher.h"

#include <algorithm>
#include <utility>

namespace ringside::cli {

void Watcher::experimentsChanged(const std::vector<std::string>&) {}

void Watcher::runsChanged(const std::vector<store::RunRow>& rows)
{
    const std::lock_guard lock(m_mutex);
    m_news.runs.insert(m_news.runs.end(), rows.begin(), rows.end());
    m_changed.notify_all();
}

void Watcher::samplesArrived(const SampleBatch& batch)
{
    const std::lock_guard lock(m_mutex);
    for (const Sample& sample : batch.samples) {
        auto& last = m_news.lastSeq[batch.run];
        last = std::max(last, sample.seq);
    }
    m_changed.notify_all();
}

void Watcher::siteChanged(const SiteStatus& status)
{
    const std::lock_guard lock(m_mutex);
    m_statuses[status.name] = status;
    m_news.sites.push_back(status);
    m_changed.notify_all();
}

void Watcher::siteStepped(const SiteStep& step)
{
    const std::lock_guard lock(m_mutex);
    m_news.steps.push_back(step);
    m_changed.notify_all();
}

void Watcher::siteFound(const std::string& site, const std::vector<SiteFact>& facts)
{
    const std::lock_guard lock(m_mutex);
    m_found[site] = facts;
}

std::optional<SiteStatus> Watcher::takeStatus(const std::string& site)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_news.sites, [&](const SiteStatus& status) { return status.name == site; });
    const auto known = m_statuses.find(site);
    return known == m_statuses.end() ? std::nullopt : std::optional(known->second);
}

std::vector<SiteFact> Watcher::found(const std::string& site)
{
    const std::lock_guard lock(m_mutex);
    return m_found[site];
}

void Watcher::problem(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    m_news.problems.push_back(error);
    m_newer |= error.code == ErrorCode::newerVersion;
    m_damage |= m_newer || error.code == ErrorCode::damaged;
    m_changed.notify_all();
}

Watcher::News Watcher::next(std::chrono::milliseconds limit)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, limit, [this] { return !m_news.empty(); });
    return std::exchange(m_news, {});
}

void Watcher::storageChanged(const std::optional<Error>& refusal)
{
    const std::lock_guard lock(m_mutex);
    m_refusal = refusal;
    m_refusedAt = std::chrono::steady_clock::now();
}

std::optional<Error> Watcher::unwritable()
{
    const std::lock_guard lock(m_mutex);
    if (!m_refusal)
        return std::nullopt;
    const std::chrono::seconds limit = m_refusal->code == ErrorCode::busy ? kLockLimit : kStorageLimit;
    return std::chrono::steady_clock::now() - m_refusedAt < limit ? std::nullopt : m_refusal;
}

bool Watcher::sawDamage()
{
    const std::lock_guard lock(m_mutex);
    return m_damage;
}

bool Watcher::sawNewer()
{
    const std::lock_guard lock(m_mutex);
    return m_newer;
}

} // namespace ringside::cli
