// SPDX-License-Identifier: GPL-3.0-or-later
// The command line's end of the conductor: stores its reports until the command's own thread asks.
#pragma once

#include "core/conductor/quietsink.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace ringside::cli {

/// So long a database that cannot be written (its disk is full) is waited for: time enough to make room for it, and to
/// read that it has to be made.
constexpr auto kStorageLimit = std::chrono::seconds(15);
/// The same of one that another program has locked, as for a backup.
constexpr auto kLockLimit = std::chrono::minutes(10);

class Watcher final : public QuietSink
{
public:
    void experimentsChanged(const std::vector<std::string>& names) override;
    void runsChanged(const std::vector<store::RunRow>& rows) override;
    void samplesArrived(const SampleBatch& batch) override;
    void siteChanged(const SiteStatus& status) override;
    void siteStepped(const SiteStep& step) override;
    void siteFound(const std::string& site, const std::vector<SiteFact>& facts) override;
    void problem(const Error& error) override;
    void storageChanged(const std::optional<Error>& refusal) override;

    /// News since the last call; waits up to `limit` for the first piece.
    struct News
    {
        std::vector<store::RunRow> runs;
        std::vector<Error> problems;
        std::vector<SiteStatus> sites; ///< of each that has campaigns, in the order in which they changed
        std::vector<SiteStep> steps;
        std::map<RunId, std::uint32_t> lastSeq;
        bool empty() const
        {
            return runs.empty() && problems.empty() && sites.empty() && steps.empty() && lastSeq.empty();
        }
    };
    News next(std::chrono::milliseconds limit);

    /// The site's latest status, which may have been among the news of an earlier call; nullopt: there was none. It is
    /// not among the news of a later one, nor is an earlier status, of which it may be the contrary.
    std::optional<SiteStatus> takeStatus(const std::string& site);
    /// The latest facts found on this site.
    std::vector<SiteFact> found(const std::string& site);

    /// Returns the error if nothing could be stored for so long that waiting is pointless.
    std::optional<Error> unwritable();

    /// True if a problem was damaged or foreign data, so far.
    bool sawDamage();
    /// True if one was data that only a later version reads.
    bool sawNewer();

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    News m_news;
    std::map<std::string, SiteStatus> m_statuses; ///< by the name of the site, as what was found is
    std::map<std::string, std::vector<SiteFact>> m_found;
    bool m_damage = false, m_newer = false;
    std::optional<Error> m_refusal; ///< of what is to be stored
    std::chrono::steady_clock::time_point m_refusedAt;
};

} // namespace ringside::cli
