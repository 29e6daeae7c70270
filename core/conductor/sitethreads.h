// SPDX-License-Identifier: MIT
// The sites that were needed so far, each with its thread.
#pragma once

#include "core/conductor/conductoroptions.h"
#include "core/conductor/sitethread.h"
#include "core/sites/readysite.h"
#include "core/sites/sitebook.h"

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace ringside {

/// From any thread.
class SiteThreads
{
public:
    /// `options.localRoot` is known. All outlive this.
    SiteThreads(const ConductorOptions& options, StoreThread& store, Sink& sink)
        : m_options(options)
        , m_store(store)
        , m_sink(sink)
    {
    }

    /// Made when it is first needed; stays until this ends. Fails with notFound, and the names that there are, for a
    /// site that is not described; with cancelled after `stop`.
    Result<SiteThread*> find(const std::string& name);
    /// True of a site that is described no longer, and has no thread that began when it was.
    bool isGone(const std::string& name);
    /// As SiteBook::onRootOf() says; this computer has its own name alone.
    std::set<std::string> onRootOf(const std::string& name) const;
    /// Ends all of them, and makes no other.
    void stop();

    /// This computer as a site that can carry out campaigns: nothing has to be brought or built.
    ReadySite thisComputer() const;

private:
    Result<SiteBook> book() const;
    Result<std::unique_ptr<SiteThread>> make(const std::string& name);

    const ConductorOptions& m_options;
    StoreThread& m_store;
    Sink& m_sink;
    std::mutex m_mutex; ///< of the rest
    bool m_isStopped = false;
    std::map<std::string, std::unique_ptr<SiteThread>> m_threads;
};

} // namespace ringside
