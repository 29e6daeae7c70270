// SPDX-License-Identifier: MIT
#include "core/conductor/sitethreads.h"

#include "core/base/words.h"
#include "core/conductor/remoteaccess.h"
#include "core/sites/localsite.h"
#include "core/spec/experiment.h"

#include <vector>

namespace ringside {

Result<SiteThread*> SiteThreads::find(const std::string& name)
{
    const std::lock_guard lock(m_mutex);
    if (m_isStopped)
        return fail(ErrorCode::cancelled, Words::tr("Ringside is shutting down."));
    if (const auto known = m_threads.find(name); known != m_threads.end())
        return known->second.get();
    TRY_ASSIGN(std::unique_ptr<SiteThread> made, make(name));
    return m_threads.emplace(name, std::move(made)).first->second.get();
}

bool SiteThreads::isGone(const std::string& name)
{
    const std::lock_guard lock(m_mutex);
    if (name == spec::kLocalSite || m_threads.contains(name))
        return false;
    const auto described = book().and_then([&](const SiteBook& known) { return known.find(name); });
    return !described && described.error().code == ErrorCode::notFound;
}

std::set<std::string> SiteThreads::onRootOf(const std::string& name) const
{
    const auto known = book();
    return known ? known->onRootOf(name) : std::set{name};
}

/// Without the lock while they end: one may wait for the store, whose job may ask for a site.
void SiteThreads::stop()
{
    std::vector<SiteThread*> all;
    {
        const std::lock_guard lock(m_mutex);
        m_isStopped = true;
        for (auto& [name, thread] : m_threads)
            all.push_back(thread.get());
    }
    for (SiteThread* thread : all)
        thread->requestStop(); // all first: they end at the same time
    for (SiteThread* thread : all)
        thread->stop();
}

Result<SiteBook> SiteThreads::book() const
{
    return m_options.sites.empty() ? SiteBook::ofUser() : SiteBook(m_options.sites);
}

Result<std::unique_ptr<SiteThread>> SiteThreads::make(const std::string& name)
{
    if (name == spec::kLocalSite) {
        auto access = std::make_unique<LocalAccess>(
            relayCommand(m_options.agent.string(), m_options.localRoot.string(), m_options.worker.string()));
        return std::make_unique<SiteThread>(name, std::move(access), m_store, m_sink);
    }
    TRY_ASSIGN(const SiteBook known, book());
    TRY(known.find(name).map([](const Site&) {}));
    auto access = std::make_unique<RemoteAccess>(known, name, deployment::agentsIn(m_options.agent.parent_path()),
                                                 m_options.interaction,
                                                 [&sink = m_sink](const SiteStep& step) { sink.siteStepped(step); });
    return std::make_unique<SiteThread>(name, std::move(access), m_store, m_sink);
}

ReadySite SiteThreads::thisComputer() const
{
    return readyLocalSite({m_options.localRoot, m_options.agent, m_options.worker});
}

} // namespace ringside
