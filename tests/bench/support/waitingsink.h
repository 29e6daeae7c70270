// SPDX-License-Identifier: MIT
// Stores a conductor's reports for those who wait for them.
#pragma once

#include "core/conductor/quietsink.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

namespace ringside::bench {

class WaitingSink : public QuietSink
{
public:
    void runsChanged(const std::vector<store::RunRow>& rows) override;
    void siteChanged(const SiteStatus& status) override;
    void problem(const Error& error) override;

    /// As soon as the site has this contact; after two minutes a timeout.
    Result<void> contact(const std::string& site, SiteStatus::Contact wanted);
    /// As soon as all reported runs have ended.
    Result<void> ends();

private:
    Result<void> waitUntil(const std::function<bool()>& condition, const std::string& what);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, SiteStatus::Contact> m_contacts;
    std::map<RunId, RunState> m_runs;
};

} // namespace ringside::bench
