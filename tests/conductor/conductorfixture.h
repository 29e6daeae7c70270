// SPDX-License-Identifier: MIT
// A site of its own in a folder, the real agent, the test worker, and a sink that remembers.
#pragma once

#include "core/store/queries.h"
#include "tests/support/temporaryfolder.h"
#include "tests/support/waitingconductor.h"

#include <condition_variable>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace ringside::test {

/// The value, or a failed test that shows the error.
template <class T> T must(Result<T> result)
{
    if (!result)
        FAIL(result.error().text());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

class RecordingSink : public Sink
{
public:
    void experimentsChanged(const std::vector<std::string>& names) override;
    void runsChanged(const std::vector<store::RunRow>& rows) override;
    void samplesArrived(const SampleBatch& batch) override;
    void telemetryArrived(const TelemetryBatch&) override {}
    void clocksArrived(const ClockBatch&) override {}
    void logArrived(const LogText& text) override;
    void siteChanged(const SiteStatus& status) override;
    void siteStepped(const SiteStep& step) override;
    void siteFound(const std::string& site, const std::vector<SiteFact>& facts) override;
    void problem(const Error& error) override;

    /// True as soon as `condition` (called under the lock) holds; false after 60 s.
    bool waitUntil(const std::function<bool()>& condition);

    std::mutex mutex;
    std::condition_variable changed;
    std::map<RunId, store::RunRow> rows;
    std::multiset<std::tuple<RunId, int, int, std::uint32_t>> samples; ///< run, attempt, rank, seq
    std::set<std::string> experiments;
    std::map<RunId, std::string> logs;
    std::vector<SiteStatus> sites;
    std::vector<SiteStep> steps;
    std::vector<SiteFact> facts; ///< the latest
    std::vector<Error> problems;
};

/// Limit for a test that writes into the store beside its conductor.
inline constexpr int kLockWaitMs = 60'000;

struct ConductorFixture
{
    ConductorFixture();
    /// Ends what still runs in the folder.
    ~ConductorFixture();

    ConductorOptions options() const;
    std::unique_ptr<WaitingConductor> open(Sink& sink) const { return must(WaitingConductor::open(options(), sink)); }
    store::Database reader() const { return must(store::Database::openForReading(options().store)); }
    std::vector<store::RunRow> runs() const { return must(store::runs(reader())); }
    /// Processes with this folder in their command line and `part` in it, too.
    std::vector<int> processes(const std::string& part) const;
    void waitForRunnersToEnd() const;

    TemporaryFolder folder;
    fs::path root = folder / "site/ringside"; ///< where it is, too, with folder / "site" as XDG_DATA_HOME
};

/// lenet on `ranks` ranks (a TOML list), `iterations` of some 10 ms each.
spec::Experiment experiment(const std::string& ranks, int repeats, int iterations);

} // namespace ringside::test
