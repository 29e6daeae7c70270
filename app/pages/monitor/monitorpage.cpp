// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/monitorpage.h"

#include "app/pages/monitor/canceldialog.h"
#include "app/pages/monitor/experimentruns.h"
#include "app/pages/monitor/loadcard.h"
#include "app/pages/monitor/logcard.h"
#include "app/pages/monitor/monitormessages.h"
#include "app/pages/monitor/retrydialog.h"
#include "app/pages/monitor/runcards.h"
#include "app/pages/monitor/runscard.h"
#include "app/pages/monitor/runwords.h"
#include "app/pages/monitor/workprogress.h"
#include "app/session/session.h"
#include "app/shell/pageheader.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/emptystate.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include "core/base/clock.h"

#include <QApplication>
#include <QClipboard>
#include <QSplitter>
#include <utility>

namespace ringside {

MonitorPage::MonitorPage(const PageContext& context)
    : Page(context)
    , m_progress(new WorkProgressBar)
    , m_runs(new RunsCard(context.theme, m_model))
    , m_log(new LogCard(action(ActionId::openLog)))
    , m_throughput(new ThroughputCard(context.theme))
    , m_phases(new PhasesCard(context.theme))
    , m_late(new LateCard(context.theme))
    , m_load(new LoadCard(context.theme))
    , m_shown(context.session, *m_load)
    , m_frames(*this, [this] { drawRun(); })
    , m_logs(context.session, *m_log)
{
    build();
    followConductor();
    followLastingMessages();
    bindActions();
    setTitle(tr("Monitor"));
}

void MonitorPage::build()
{
    header().addWidget(m_progress);
    header().addAction(action(ActionId::hold));
    header().addAction(action(ActionId::retryFailed));
    header().addAction(action(ActionId::cancel), false, true);
    buildSplitters();
    content()->addWidget(m_columns, 1);
    connect(&m_model, &RunModel::silenceChanged, this, [this] {
        m_runs->refreshCounts();
        m_frames.want();
    });
    connect(&m_model, &RunModel::configurationsChanged, this, [this] { m_frames.want(); });
    connect(m_runs, &RunsCard::chosen, this, [this](const RunId& run) {
        const store::RunRow* running = m_model.running(run);
        m_wanted.reset();
        m_following = running && running->id == run;
        showRun(run);
        m_runs->offerFollowing(!m_following && running);
    });
}

void MonitorPage::buildSplitters()
{
    m_left = makeSplitter(Qt::Vertical, {m_runs, m_log});
    m_right = makeSplitter(Qt::Vertical, {m_throughput, m_phases, m_late, m_load});
    auto* side = scrolled(m_right);
    m_columns = makeSplitter(Qt::Horizontal, {m_left, side});
    setSidePanel(side);
    m_left->setSizes({475, 170});
    m_right->setSizes({235, 235, 150, 60});
    m_columns->setSizes({520, 620});
    m_columns->setStretchFactor(1, 1);
    m_runs->setMinimumWidth(400);
    keepState(*m_columns, QStringLiteral("monitor/columns"));
    keepState(*m_left, QStringLiteral("monitor/left"));
    keepState(*m_right, QStringLiteral("monitor/details"));
}

void MonitorPage::followConductor()
{
    QtSink& live = context().session.live();
    connect(&live, &QtSink::runsUpdated, this, &MonitorPage::updateRuns);
    connect(&live, &QtSink::samplesReceived, this, &MonitorPage::takeSamples);
    connect(&live, &QtSink::telemetryReceived, this, &MonitorPage::takeTelemetry);
    connect(&m_shown, &ShownRun::changed, this, [this] { m_frames.want(); });
    connect(&m_shown, &ShownRun::failed, this, &MonitorPage::showError);
    connect(&live, &QtSink::logReceived, m_log, &LogCard::add);
    connect(&context().session.experiments(), &ExperimentList::changed, this, [this] {
        leaveDeleted();
        findExperiment();
    });
    connect(&context().session.experiments(), &ExperimentList::failed, this, [this](const Error& error) {
        if (m_active)
            showFailure(error);
    });
    connect(&live, &QtSink::runsOutdated, this, [this](const QStringList& experiments) {
        if (m_active && experiments.contains(m_experiment))
            loadRuns();
    });
    connect(&context().session.sites(), &SiteStates::changed, this, &MonitorPage::showContact);
    connect(&live, &QtSink::samplesLeftOut, this, [this] {
        if (m_active)
            m_shown.load();
    });
    connect(m_runs, &RunsCard::followWanted, this, [this] { escape(); });
    connect(m_late, &LateCard::rankWanted, this, &MonitorPage::showRankPlace);
    connect(&context().session, &Session::accessChanged, this, &MonitorPage::followAccess);
    connect(&context().session, &Session::readAgain, this,
            [this] { m_active && !m_experiment.isEmpty() ? loadRuns() : void(); });
}

/// Another database has other runs.
void MonitorPage::followAccess()
{
    if (context().session.access() == Session::Access::opening)
        showExperiment({});
    else if (!m_experiment.isEmpty()) {
        m_shown.load(); // what another program wrote until now did not come live
        if (m_active)
            loadRuns();
    }
    refreshHeader();
    m_logs.follow(m_shown.row());
}

void MonitorPage::showExperiment(const QString& name)
{
    m_experiment = name;
    m_wasListed = false;
    m_following = true;
    m_wanted.reset();
    m_held = false;
    m_jobs.clear();
    m_runsJob.cancel();
    setLoading(false); // what was cancelled does not say so
    m_model.setRuns({});
    m_runs->showOnly(RunModel::Scope::all); // another one's runs may all be in other states
    m_shown.showNone();
    m_log->showRun({}, 0, {});
    m_logs.follow({});
    m_lasting.forget();
    dropMessage(kRefusalTopic);
    clearMessage();
    refreshActions();
}

/// Only sites that carry out something of this experiment matter here.
void MonitorPage::showContact()
{
    const std::optional<SiteStatus> site = context().session.sites().firstLost(m_model.busySites());
    setStale(site ? tr("as of %1").arg(Numbers::timeOfDay(site->since)) : QString());
    m_lasting.showContact(site);
}

void MonitorPage::followLastingMessages()
{
    connect(&m_lasting, &LastingMessages::shown, this, &MonitorPage::showMessage);
    connect(&m_lasting, &LastingMessages::dropped, this, &MonitorPage::dropMessage);
    connect(&m_lasting, &LastingMessages::contactWanted, this,
            [this](const std::string& site) { give(calling(&Conductor::prepareSite, site, false)); });
    connect(&m_lasting, &LastingMessages::siteWanted, this,
            [this](const std::string& site) { context().shell.go({.page = PageId::sites, .show = toQt(site)}); });
    connect(&m_lasting, &LastingMessages::editorWanted, this, &MonitorPage::edit);
}

void MonitorPage::bindActions()
{
    bind(ActionId::hold, [this] { hold(); });
    bind(ActionId::retryFailed, [this] { retryFailed(); });
    bind(ActionId::cancel, [this] { cancel(); });
    bind(ActionId::previousRun, [this] { m_runs->step(-1); });
    bind(ActionId::nextRun, [this] { m_runs->step(1); });
    bind(ActionId::openLog, [this] { enlargeLog(!m_logOnly); });
    bind(ActionId::find, [this] {
        enlargeLog(true);
        m_log->focusSearch();
    });
    bind(ActionId::showInCompare, [this] {
        context().shell.go({.page = PageId::compare, .experiment = m_experiment, .show = QStringLiteral("speedup")});
    });
    bind(ActionId::editExperiment, [this] { edit(); });
    bind(ActionId::copyRunId, [this] { QApplication::clipboard()->setText(toQt(m_shown.row().id.str())); });
    refreshActionsOfShown();
}

void MonitorPage::activate(const Target& target)
{
    m_active = true;
    if (!target.experiment.isEmpty() && target.experiment != m_experiment)
        showExperiment(target.experiment);
    leaveDeleted();
    const ExperimentList& list = context().session.experiments();
    if (target.experiment.isEmpty() && list.knows() && !list.holds(m_experiment))
        showExperiment({});                         // a message has led to one that is not there
    if (target.run || !target.experiment.isEmpty()) // else the page is as it was left
        m_following = !target.run;
    m_wanted = target.run;
    context().session.experiments().visit();
    m_experiment.isEmpty() ? findExperiment() : loadRuns();
    if (target.run)
        showRun(*target.run);
    if (m_logOnly && !target.experiment.isEmpty())
        enlargeLog(false); // what is gone to is in the rows
    m_runs->table().setFocus();
}

void MonitorPage::enlargeLog(bool enlarged)
{
    m_logOnly = enlarged;
    m_runs->setVisible(!enlarged);
    m_columns->widget(1)->setVisible(!enlarged);
    m_log->setEnlarged(enlarged);
    m_log->focusLog();
}

bool MonitorPage::escape()
{
    if (m_log->escape())
        return true;
    if (m_logOnly)
        return enlargeLog(false), m_runs->table().setFocus(), true;
    if (m_following)
        return false;
    m_following = true;
    m_wanted.reset();
    followRunning();
    return true;
}

/// An experiment that was listed, and is no more.
void MonitorPage::leaveDeleted()
{
    const ExperimentList& list = context().session.experiments();
    if (m_wasListed && list.isLoaded() && !list.holds(m_experiment))
        showExperiment({});
    m_wasListed = list.holds(m_experiment);
}

/// While none is shown.
void MonitorPage::findExperiment()
{
    if (!m_active || !m_experiment.isEmpty())
        return;
    const ExperimentList& list = context().session.experiments();
    setLoading(!list.knows());
    m_experiment = toQt(experimentToShow(list.rows()));
    m_wasListed = list.holds(m_experiment);
    m_experiment.isEmpty() ? refreshHeader() : loadRuns();
}

void MonitorPage::loadRuns()
{
    setLoading(true);
    context().session.queries().askRepeatedly(
        m_runsJob,
        [name = toUtf8(m_experiment)](const store::Database& db, std::stop_token) {
            return ExperimentRuns::read(db, name);
        },
        [this](Result<ExperimentRuns> runs) {
            setLoading(false);
            runs ? takeRuns(std::move(*runs)) : showFailure(runs.error());
        });
}

void MonitorPage::takeRuns(ExperimentRuns runs)
{
    const auto wanted = std::exchange(m_wanted, {});
    m_held = runs.held;
    m_jobs = std::move(runs.jobs);
    m_model.setRuns(std::move(runs.rows));
    updateShown();
    if (context().session.access() == Session::Access::reading)
        m_shown.load();
    if (wanted && m_model.run(*wanted)) {
        m_following = false;
        if (*wanted != m_shown.row().id)
            showRun(*wanted);
    }
    const RunId selected = m_shown.row().id;
    if (m_following || !m_model.run(selected))
        followRunning();
    else
        m_runs->select(selected);
    refreshHeader();
}

void MonitorPage::updateRuns(const std::vector<store::RunRow>& runs)
{
    std::vector<store::RunRow> ours = ExperimentRuns::listed(runs, toUtf8(m_experiment), m_model.runs());
    if (ours.empty())
        return;
    if (m_runsJob.isUnderWay())
        loadRuns(); // what was asked before may be older
    m_model.update(std::move(ours));
    updateShown();
    if (m_following)
        followRunning();
    else
        m_runs->offerFollowing(m_model.running());
    refreshHeader();
}

void MonitorPage::updateShown()
{
    const store::RunRow* shown = m_model.run(m_shown.row().id);
    if (!shown)
        return;
    m_shown.update(*shown);
    m_logs.update(*shown);
    m_lasting.showTrial(*shown);
}

/// Shows what runs; with nothing running what ended last, if nothing is shown yet.
void MonitorPage::followRunning()
{
    const store::RunRow* run = m_model.running(m_shown.row().id); // it stays while it runs, whatever else begins
    if (!run && m_shown.row().id.empty())
        run = m_model.runAt(0);
    if (run && run->id != m_shown.row().id)
        showRun(run->id);
    if (!m_shown.row().id.empty())
        m_runs->select(m_shown.row().id);
    m_runs->offerFollowing(false);
}

void MonitorPage::showRun(const RunId& id)
{
    const store::RunRow* run = m_model.run(id);
    if (!run)
        return;
    m_rankJob.cancel();
    dropMessage(kRankTopic);
    m_lasting.showTrial(*run);
    m_shown.show(*run);
    m_log->showRun(id, run->number, {m_shown.run().rankProcesses(), run->ranksPerProcess});
    refreshActionsOfShown();
    m_logs.follow(*run);
}

void MonitorPage::edit()
{
    if (!m_experiment.isEmpty())
        context().shell.go({.page = PageId::editor, .experiment = m_experiment});
}

void MonitorPage::takeSamples(const std::vector<SampleBatch>& batches)
{
    for (const SampleBatch& batch : batches)
        if (!batch.samples.empty())
            m_model.advance(batch.run, batch.samples.back().seq);
}

void MonitorPage::takeTelemetry(const std::vector<TelemetryBatch>& batches)
{
    for (const TelemetryBatch& batch : batches)
        m_model.noteReport(batch.run);
}

/// The answer to “Rank 11 is 7.2 ms late”.
void MonitorPage::showRankPlace(int rank)
{
    const RunId id = m_shown.row().id;
    const int attempt = m_shown.row().attempt;
    const QString who = Numbers::namedRanks(rank, rank, m_shown.row().ranksPerProcess);
    context().session.queries().ask(
        m_rankJob,
        [id, attempt, rank](const store::Database& db, std::stop_token) {
            return RankPlace::read(db, id, attempt, rank);
        },
        [this, who](const Result<RankPlace>& place) {
            place ? showMessage({.text = place->inWords(who), .topic = kRankTopic}) : showError(place.error());
        });
}

void MonitorPage::drawRun()
{
    const LiveRun& run = m_shown.run();
    m_throughput->show(run, m_model.configuration(run.row()), waitText(run.row()), m_model.silentSince(run.row().id));
    m_phases->show(run);
    m_late->show(run);
}

void MonitorPage::refreshHeader()
{
    showContact();
    const store::RunCounts counts = m_model.counts();
    const bool anything = !m_model.runs().empty();
    setTitle(m_experiment.isEmpty() ? tr("Monitor") : m_experiment,
             anything ? contextLine(m_model, m_jobs, m_shown.row().id) : QString());
    if (!anything && !m_empty) {
        auto* empty = new EmptyState(context().theme, QStringLiteral("pulse"), tr("Nothing is running."));
        empty->addAction(action(ActionId::goExperiments));
        showEmpty(m_empty = empty);
    } else if (anything && m_empty) {
        showEmpty(nullptr);
        m_empty = nullptr;
        if (m_runs->isAncestorOf(window()->focusWidget()))
            m_runs->table().setFocus(); // not in the filter above it
    }
    const bool isPaceKnown = !m_held && counts.unknown == 0;
    m_progress->setProgress(counts, isPaceKnown ? secondsLeft(m_model.runs(), wallNs()) : -1);
    if (const store::RunRow* trial = m_model.trial(); trial && counts.total == 0)
        m_progress->setTrial(RunWords::look(*trial).word, int(trial->lastSeq), trial->iterations);
    m_progress->setVisible(anything);
    m_runs->refreshCounts();
    refreshActions();
}

/// An action that is not available shows why.
void MonitorPage::refreshActions()
{
    const int unfinished = m_model.counts().unfinished();
    const store::RunRow* trial = m_model.trial();
    const bool isTrying = trial && !isFinal(trial->state);
    int failed = 0;
    for (const auto& [site, runs] : m_model.failedBySite())
        failed += int(runs.size());
    setActionText(ActionId::hold, m_held ? tr("Continue") : tr("Hold after this run"));
    setActionText(ActionId::retryFailed, failed > 0 ? tr("Retry %n failed", "", failed) : tr("Retry failed"));
    const QString only = canCommand() ? QString() : tr("The database can only be read here.");
    const auto enable = [&](ActionId id, bool possible, const QString& whyNot) {
        setActionEnabled(id, canCommand() && possible, only.isEmpty() ? whyNot : only);
    };
    enable(ActionId::hold, unfinished > 0, tr("Nothing runs or waits."));
    enable(ActionId::retryFailed, failed > 0 && unfinished == 0,
           failed > 0 ? tr("Failed runs can be retried once what runs or waits has ended; cancel what waits to retry "
                           "them sooner.")
                      : tr("No run has failed."));
    enable(ActionId::cancel, unfinished > 0 || isTrying, tr("Nothing runs or waits."));
    if (m_cancelling)
        m_cancelling->offer(CancelChoice::of(m_model, m_experiment, m_shown.row().id));
    refreshActionsOfShown();
}

void MonitorPage::refreshActionsOfShown()
{
    const bool hasRun = !m_shown.row().id.empty();
    for (const ActionId id : {ActionId::find, ActionId::openLog, ActionId::copyRunId})
        setActionEnabled(id, hasRun || m_logOnly, tr("No run is shown."));
    for (const ActionId id : {ActionId::editExperiment, ActionId::showInCompare})
        setActionEnabled(id, !m_experiment.isEmpty(), tr("No experiment is shown."));
}

bool MonitorPage::canCommand() const
{
    return context().session.access() == Session::Access::writing;
}

void MonitorPage::give(const Request& make, std::function<void()> done)
{
    if (!canCommand())
        return;
    context().session.request(this, make, [this, done = std::move(done)](const Result<void>& result) {
        result ? dropMessage(kRefusalTopic) : showMessage(refusalMessage(result.error()));
        if (done)
            done();
    });
}

void MonitorPage::hold()
{
    const ControlOrder order{{m_held ? Control::Kind::proceed : Control::Kind::hold}, toUtf8(m_experiment)};
    give(calling(&Conductor::control, order), [this] { loadRuns(); });
}

void MonitorPage::retryFailed()
{
    for (const auto& [site, runs] : m_model.failedBySite()) {
        const LaunchRequest request{
            .experiment = toUtf8(m_experiment), .site = site, .retryFailed = true, .only = runs};
        retry(context(), this, request,
              [this](const LaunchRequest& wanted) { give(calling(&Conductor::launch, wanted)); });
    }
}

void MonitorPage::cancel()
{
    const auto choice = CancelChoice::of(m_model, m_experiment, m_shown.row().id);
    if (choice.isEmpty())
        return; // the last one has ended
    m_cancelling = new CancelDialog(this, context().theme, choice,
                                    [this](const ControlOrder& order) { give(calling(&Conductor::control, order)); });
    m_cancelling->open();
}

} // namespace ringside
