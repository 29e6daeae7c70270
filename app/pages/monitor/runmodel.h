// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one experiment as Monitor lists them: what runs, the next that wait (the rest folded into one row), then
// the ended ones, newest first. Holds and shows; identities by kKeyRole.
#pragma once

#include "app/widgets/statelook.h"
#include "core/report/items.h"
#include "core/store/runsurvey.h"

#include <QAbstractTableModel>
#include <QBasicTimer>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ringside {

class RunModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column
    {
        kNumber,
        kConfiguration,
        kRanks,
        kState,
        kProgress,
        kRate,
        kFlag,
        kColumnCount
    };
    enum class Scope
    {
        all,
        running,
        waiting,
        done,
        failed,
        cancelled
    };

    /// Waiting runs that are shown one by one.
    static constexpr std::size_t kWaitingShown = 3;

    void setRuns(std::vector<store::RunRow> runs);
    /// New states of runs that are there; others are added.
    void update(std::vector<store::RunRow> runs);
    /// Progress alone: cheap, keeps the order.
    void advance(const RunId& run, std::uint32_t lastSeq);
    /// A report came from the run: it is alive.
    void noteReport(const RunId& run);
    /// The time of the last report from a run in state running (wall clock, ns), if that was some seconds ago.
    /// Signalled as a change of the run.
    std::optional<std::int64_t> silentSince(const RunId& run) const;
    void setScope(Scope scope);
    /// While `held` rows stay where they are, whatever becomes of their runs.
    void holdOrder(bool held);

    const store::RunRow* run(const RunId& id) const;
    /// The run of a row; nullptr for the folded row.
    const store::RunRow* runAt(int row) const
    {
        return row >= 0 && row < rowCount() ? run(m_lines[std::size_t(row)].id) : nullptr;
    }
    QModelIndex indexOf(const RunId& id) const;
    const std::map<RunId, store::RunRow>& runs() const { return m_runs; }
    /// "batch per rank 16 images · AlexNet · buckets": settings that distinguish the configurations, the engine among
    /// them wherever it varies, then model and plan; without the ranks.
    QString configuration(const store::RunRow& run) const;
    /// The distinct results of configuration().
    std::set<QString> configurations() const;
    const store::RunCounts& counts() const { return m_survey.counts; }
    /// The number of disturbed runs among those counted.
    int disturbed() const { return m_survey.disturbed; }
    /// store::activeRun() of these. Without contact it is the one that ran when contact was lost.
    const store::RunRow* running(const RunId& preferred = {}) const { return store::activeRun(m_runs, preferred); }
    /// As in store::RunSurvey.
    const store::RunRow* next() const { return m_survey.next; }
    const store::RunRow* trial() const { return m_survey.trial; }
    std::map<std::string, std::vector<RunId>> failedBySite() const { return m_survey.failed; }
    std::set<std::string> busySites() const { return m_survey.busySites; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_lines.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// True if a run has been silent for some seconds.
    bool anySilent() const;

Q_SIGNALS:
    void silenceChanged();
    /// configuration() of any run may be another one: the runs to distinguish have changed.
    void configurationsChanged();

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    struct Line
    {
        RunId id; ///< empty: the folded row
        int folded = 0;
        bool operator==(const Line&) const = default;
    };

    bool hasAll(const std::vector<store::RunRow>& runs) const;
    bool put(store::RunRow run);
    void nameConfigurations();
    std::vector<Line> order() const;
    void arrange();
    StateLook lookOf(const store::RunRow& run) const;
    QVariant text(const store::RunRow& run, int column) const;
    QVariant look(const store::RunRow& run, int column, int role) const;

    std::map<RunId, store::RunRow> m_runs;
    store::RunSurvey m_survey;                     ///< of these: of thousands, it is made once for each change
    std::map<RunId, std::int64_t> m_reportedNs;    ///< when something last came from each, wall clock, ns
    std::set<RunId> m_silent;                      ///< of these, those that nothing has come from for long
    QBasicTimer m_clock;                           ///< runs once something was reported
    std::vector<std::string> m_naming;             ///< settings that a configuration is called by
    report::Items m_items = report::Items::images; ///< what their rates count
    std::vector<Line> m_lines;
    Scope m_scope = Scope::all;
    bool m_isHeld = false;
};

} // namespace ringside
