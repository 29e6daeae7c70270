// SPDX-License-Identifier: GPL-3.0-or-later
// Monitor: the runs of one experiment, and everything about one of them while it runs (UX.md 3.4).
#pragma once

#include "app/pages/monitor/lastingmessages.h"
#include "app/pages/monitor/logfollower.h"
#include "app/pages/monitor/runmodel.h"
#include "app/pages/monitor/shownrun.h"
#include "app/session/jobtracker.h"
#include "app/session/session.h"
#include "app/shell/page.h"
#include "app/widgets/framelimit.h"
#include "core/conductor/conductor.h"

#include <QPointer>
#include <functional>

class QSplitter;

namespace ringside {

class CancelDialog;
struct ExperimentRuns;
class LateCard;
class LoadCard;
class LogCard;
class PhasesCard;
class RunsCard;
class ThroughputCard;
class WorkProgressBar;

class MonitorPage : public Page
{
    Q_OBJECT
public:
    explicit MonitorPage(const PageContext& context);

    void activate(const Target& target) override;
    void deactivate() override { m_active = false; }
    bool escape() override;

private:
    void build();
    void buildSplitters();
    void followConductor();
    void bindActions();

    void followAccess();
    void showExperiment(const QString& name);
    void leaveDeleted();
    void findExperiment();
    void loadRuns();
    void takeRuns(ExperimentRuns runs);
    void showContact();
    void followLastingMessages();
    void updateRuns(const std::vector<store::RunRow>& runs);
    void updateShown();
    void showRun(const RunId& run);
    void takeSamples(const std::vector<SampleBatch>& batches);
    void takeTelemetry(const std::vector<TelemetryBatch>& batches);
    void showRankPlace(int rank);

    void edit();

    void refreshHeader();
    void refreshActions();
    void refreshActionsOfShown();
    void drawRun();
    void followRunning();
    void enlargeLog(bool enlarged);
    bool canCommand() const;

    void hold();
    void retryFailed();
    void cancel();
    using Request = std::function<void(Conductor&, Completion<>)>;
    void give(const Request& make, std::function<void()> done = {});

    QString m_experiment;
    bool m_wasListed = false; ///< the experiment: one that was just launched is not yet
    RunModel m_model;
    bool m_following = true;       ///< the running run is shown until the user picks another
    std::optional<RunId> m_wanted; ///< to be shown once the runs are read
    bool m_held = false;           ///< as stored: no further run is started
    bool m_active = false;
    bool m_logOnly = false;
    std::map<CampaignId, std::string> m_jobs;
    LastingMessages m_lasting;

    QPointer<CancelDialog> m_cancelling; ///< null: it is not open
    WorkProgressBar* m_progress;
    RunsCard* m_runs;
    LogCard* m_log;
    ThroughputCard* m_throughput;
    PhasesCard* m_phases;
    LateCard* m_late;
    LoadCard* m_load;
    QSplitter* m_columns;
    QSplitter* m_left;
    QSplitter* m_right;
    QWidget* m_empty = nullptr;
    ShownRun m_shown;
    FrameLimit m_frames; ///< of what shows m_shown
    LogFollower m_logs;

    JobTracker m_runsJob, m_rankJob; // last: they drop answers that come too late
};

} // namespace ringside
