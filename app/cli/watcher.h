// SPDX-License-Identifier: GPL-3.0-or-later
// The command line's end of the conductor: keeps what it is told until the command's own thread asks.
#pragma once

#include "core/conductor/sink.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace ringside::cli {

class Watcher final : public Sink
{
public:
    void experimentsChanged(const std::vector<std::string>& names) override;
    void runsChanged(const std::vector<store::RunRow>& rows) override;
    void samplesArrived(const SampleBatch& batch) override;
    void telemetryArrived(const TelemetryBatch&) override {}
    void clocksArrived(const ClockBatch&) override {}
    void logArrived(const LogText&) override {}
    void siteChanged(const SiteStatus& status) override;
    void siteStepped(const SiteStep& step) override;
    void siteFound(const std::string& site, const std::vector<SiteFact>& facts) override;
    void installedListed(const std::string& site, const std::vector<wire::InstalledItem>& items) override;
    void installedRemoved(const std::string& site, const wire::DeleteReply& reply) override;
    void launchPreviewed(const LaunchPreview& preview) override;
    void commandDone(Ticket ticket, const Result<void>& result) override;
    void problem(const Error& error) override;

    /// What came since the last call; waits up to `limit` for the first piece.
    struct News
    {
        std::vector<store::RunRow> runs;
        std::vector<Error> problems;
        std::optional<SiteStatus> site;
        std::vector<SiteStep> steps;
        std::map<RunId, std::uint32_t> lastSeq;
        bool empty() const { return runs.empty() && problems.empty() && !site && steps.empty() && lastSeq.empty(); }
    };
    News next(std::chrono::milliseconds limit);

    /// The answer to a command, if it is there.
    std::optional<Result<void>> answer(Ticket ticket);

    /// The latest list of what is installed, and what became of a removal.
    std::vector<wire::InstalledItem> installed();
    wire::DeleteReply removed();
    /// What was found on a site, as last told.
    std::vector<SiteFact> found();
    /// The latest preview.
    LaunchPreview preview();

    /// Whether a problem was damaged or foreign data, so far.
    bool sawDamage();

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    News m_news;
    std::map<Ticket, Result<void>> m_answers;
    std::vector<wire::InstalledItem> m_installed;
    wire::DeleteReply m_removed;
    std::vector<SiteFact> m_found;
    LaunchPreview m_preview;
    bool m_damage = false;
};

} // namespace ringside::cli
