// SPDX-License-Identifier: GPL-3.0-or-later
// The run that Monitor shows, made whole of what the store has and of what comes live, each sample once. GUI thread.
#pragma once

#include "app/charts/loadtrace.h"
#include "app/pages/monitor/liverun.h"
#include "app/session/jobtracker.h"
#include "app/session/session.h"

#include <QObject>

namespace ringside {

class LoadCard;

/// The store's data of a run's latest attempt, ready to be shown.
struct LoadedRun
{
    LiveRun run;
    LoadTrace load;

    /// Blocking: for the thread of the queries. Fails with ErrorCode::cancelled soon after a stop is requested.
    static Result<LoadedRun> read(const store::Database& db, const store::RunRow& row, const std::stop_token& stop);
};

class ShownRun : public QObject
{
    Q_OBJECT
public:
    /// `load` is updated as well.
    ShownRun(Session& session, LoadCard& load);

    /// Without an id while none is shown.
    const store::RunRow& row() const { return m_run.row(); }
    const LiveRun& run() const { return m_run; }
    void show(const store::RunRow& run);
    void showNone();
    /// A later state of the same run.
    void update(const store::RunRow& run);
    /// Asks the store once more: some of it did not come live. However often this is called, what is under way answers
    /// first.
    void load();

Q_SIGNALS:
    /// There is something else to draw.
    void changed();
    void failed(const ringside::Error& error);

private:
    void loadAnother();
    void loadWork();
    void takeStored(LoadedRun stored);
    void takeSamples(const std::vector<SampleBatch>& batches);
    void takeTelemetry(const std::vector<TelemetryBatch>& batches);
    void takeClocks(const std::vector<ClockBatch>& batches);
    bool isOf(const RunId& run, int attempt) const { return run == row().id && attempt == row().attempt; }

    Session& m_session;
    LoadCard& m_load;
    LiveRun m_run;
    std::vector<SampleBatch> m_meanwhile; ///< came live while the store was asked
    JobTracker m_storedJob, m_workJob;    // last: they drop answers that come too late
};

} // namespace ringside
