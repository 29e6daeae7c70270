// SPDX-License-Identifier: GPL-3.0-or-later
// Brings the conductor's reports into the GUI thread, as signals: collected, and emitted by one clock of 100 ms that
// all live views share. The clock slows down to 5 and 2 Hz while views need longer than their 8 ms for a tick. Bounded:
// when the GUI thread is too slow, the oldest samples are left out here (they are in the store) and counted.
#pragma once

#include "core/conductor/sink.h"

#include <QObject>
#include <QStringList>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

namespace ringside {

class QtSink : public QObject, public Sink
{
    Q_OBJECT
public:
    QtSink();

    // Called by the conductor, on its threads.
    void experimentsChanged(const std::vector<std::string>& names) override;
    void runsChanged(const std::vector<store::RunRow>& rows) override;
    void samplesArrived(const SampleBatch& batch) override;
    void telemetryArrived(const TelemetryBatch& batch) override;
    void clocksArrived(const ClockBatch& batch) override;
    void logArrived(const LogText& text) override;
    void siteChanged(const SiteStatus& status) override;
    void siteStepped(const SiteStep& step) override;
    void siteFound(const std::string& site, const std::vector<SiteFact>& facts) override;
    void problem(const Error& error) override;

    /// Calls `call` in the GUI thread, at once and not on the clock, after what was observed before. Any thread.
    template <class Call> void deliver(Call call)
    {
        post([this, call = std::move(call)]() mutable { flush(), call(); });
    }

    /// Drops reports that were not emitted yet. GUI thread.
    void forget();

    /// The most samples that one tick can carry.
    static constexpr std::size_t kMaxSamples = 50'000;
    static constexpr std::size_t kMaxLogBytes = 1u << 20;

Q_SIGNALS:
    void runsUpdated(const std::vector<ringside::store::RunRow>& rows);
    /// More of these experiments' runs changed than runsUpdated() says: query them again. After the rows, so that what
    /// a query finds is never older than they are.
    void runsOutdated(const QStringList& experiments);
    void samplesReceived(const std::vector<ringside::SampleBatch>& batches);
    void telemetryReceived(const std::vector<ringside::TelemetryBatch>& batches);
    void clocksReceived(const std::vector<ringside::ClockBatch>& batches);
    void logReceived(const std::vector<ringside::LogText>& texts);
    void sitesUpdated(const std::vector<ringside::SiteStatus>& sites);
    void siteStepsReceived(const std::vector<ringside::SiteStep>& steps);
    void siteFactsReceived(const QString& site, const std::vector<ringside::SiteFact>& facts);
    void problemFound(const ringside::Error& error);
    /// This many samples were not delivered live; query the store for them.
    void samplesLeftOut(std::size_t count);

private:
    struct Pending
    {
        std::set<std::string> experiments; ///< of which more changed than `runs` says
        std::map<RunId, store::RunRow> runs;
        std::vector<SampleBatch> samples;
        std::vector<TelemetryBatch> telemetry;
        std::vector<ClockBatch> clocks;
        std::vector<LogText> log;
        std::map<std::string, SiteStatus> sites;
        std::map<std::pair<std::string, SiteStep::Kind>, SiteStep> steps; ///< the latest of each
        std::size_t sampleCount = 0, logBytes = 0, leftOut = 0;
    };

    template <class Call> void post(Call call)
    {
        auto unlessForgotten = [this, call = std::move(call), era = m_era.load()]() mutable {
            if (era == m_era)
                call();
        };
        QMetaObject::invokeMethod(this, std::move(unlessForgotten), Qt::QueuedConnection); // a script has megabytes
    }
    template <class Change> void collect(Change change);
    void schedule();
    void flush();
    void give(Pending pending);

    std::atomic<int> m_era = 0; ///< reports of an earlier one are dropped
    std::mutex m_mutex;
    Pending m_pending;        // guarded by m_mutex
    bool m_scheduled = false; // guarded by m_mutex
    std::chrono::milliseconds m_interval;
    std::int64_t m_lastFlush = 0; // CLOCK_MONOTONIC
};

} // namespace ringside
