// SPDX-License-Identifier: MIT
#include "core/conductor/conductor.h"

#include "core/base/words.h"
#include "core/conductor/planning.h"
#include "core/conductor/sitethread.h"
#include "core/conductor/storethread.h"
#include "core/protocol/layout.h"
#include "core/remote/localhost.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <atomic>

namespace ringside {

struct Conductor::Parts
{
    Parts(ConductorOptions chosen, Sink& watcher)
        : options(std::move(chosen))
        , sink(watcher)
    {
    }

    ~Parts()
    {
        if (store)
            store->giveUp(); // or a full disk would keep the site waiting
        if (local)
            local->stop();
    }

    ConductorOptions options;
    Sink& sink;
    std::atomic<Ticket> lastTicket = 0;
    std::unique_ptr<SiteThread> local;
    std::unique_ptr<StoreThread> store; ///< ends first: jobs in its queue know the site

    Result<void> start();
    Result<void> resume();
    Result<void> requireSite(const std::string& site) const;
    Ticket change(std::function<Result<void>(store::Database&)> work, const std::string& experiment);
    void launch(store::Database& db, Ticket ticket, const LaunchRequest& request);
    Result<std::optional<CampaignId>> plan(store::Database& db, const LaunchRequest& request);
    Result<void> keepCells(store::Database& db, const spec::Experiment& experiment, const std::string& site);
    void followLog(store::Database& db, Ticket ticket, const RunId& run);
};

namespace {

Result<std::vector<store::RunRow>> countedRuns(const store::Database& db, const std::string& experiment)
{
    store::RunFilter filter;
    filter.experiment = experiment;
    filter.kind = RunKind::run;
    return store::runs(db, filter);
}

/// The experiment's own site, those where it has run, and `besides`.
Result<std::set<std::string>> sitesOf(const store::Database& db, const spec::Experiment& experiment,
                                      const std::string& besides)
{
    TRY_ASSIGN(const std::vector<store::RunRow> rows, countedRuns(db, experiment.name));
    std::set<std::string> sites{experiment.site, besides};
    for (const store::RunRow& row : rows)
        sites.insert(row.site);
    return sites;
}

Result<void> requireIdle(const store::Database& db, const std::string& experiment)
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished)
        if (campaign.experiment == experiment)
            return fail(ErrorCode::busy, Words::tr("Runs of “{}” still wait or run.", experiment),
                        Words::tr("Cancel them first."));
    return {};
}

Result<std::vector<RunSpec>> specsFor(const store::Database& db, const LaunchRequest& request,
                                      const spec::Experiment& experiment)
{
    TRY_ASSIGN(const spec::Matrix matrix, spec::expand(experiment, request.site));
    if (matrix.configurations.empty())
        return fail(ErrorCode::usage, Words::tr("“{}” has no configuration to run.", experiment.name),
                    Words::tr("Exclude fewer of them."));
    if (request.trial)
        return std::vector{trialSpec(experiment, matrix)};
    TRY_ASSIGN(const std::vector<store::RunRow> stored, countedRuns(db, experiment.name));
    return missingSpecs(experiment, matrix, stored, request.retryFailed, request.only);
}

} // namespace

Result<void> Conductor::Parts::start()
{
    if (options.localRoot.empty()) {
        TRY_ASSIGN(options.localRoot, dataFolder());
    }
    TRY(makePrivateFolder(options.localRoot));
    TRY_ASSIGN(store, StoreThread::open(options.store, sink));
    local = std::make_unique<SiteThread>(
        spec::kLocalSite, std::make_unique<LocalHost>(),
        relayCommand(options.agent.string(), options.localRoot.string(), options.worker.string()), *store, sink);
    return resume();
}

/// What an earlier program left unfinished.
Result<void> Conductor::Parts::resume()
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished,
               store->call([](store::Database& db) { return store::campaigns(db, true); }));
    for (const store::CampaignRow& campaign : unfinished)
        if (requireSite(campaign.site))
            local->post([id = campaign.id](CampaignDriver& driver) { driver.watch(id, std::nullopt); });
    return {};
}

Result<void> Conductor::Parts::requireSite(const std::string& site) const
{
    if (site == spec::kLocalSite)
        return {};
    return fail(ErrorCode::notFound, Words::tr("There is no site “{}”.", site), Words::tr("“local” is this computer."));
}

/// A short change of one experiment; its end is told, then the change.
Ticket Conductor::Parts::change(std::function<Result<void>(store::Database&)> work, const std::string& experiment)
{
    const Ticket ticket = ++lastTicket;
    store->post([this, ticket, experiment, work = std::move(work)](store::Database& db) {
        const Result<void> done = work(db);
        sink.commandDone(ticket, done);
        if (done)
            store->announceExperiments({experiment});
    });
    return ticket;
}

Result<void> Conductor::Parts::keepCells(store::Database& db, const spec::Experiment& experiment,
                                         const std::string& site)
{
    TRY_ASSIGN(const std::set<std::string> sites, sitesOf(db, experiment, site));
    TRY_ASSIGN(const store::ExperimentEdit edit, editOf(experiment, sites));
    return store::saveExperiment(db, edit);
}

/// The campaign that does what is missing; nullopt if nothing is.
Result<std::optional<CampaignId>> Conductor::Parts::plan(store::Database& db, const LaunchRequest& request)
{
    TRY(requireSite(request.site));
    TRY_ASSIGN(const std::string text, store::experimentText(db, request.experiment));
    TRY_ASSIGN(const spec::Experiment experiment, spec::parseExperiment(text, request.experiment));
    TRY_ASSIGN(std::vector<RunSpec> specs, specsFor(db, request, experiment));
    if (specs.empty())
        return std::nullopt;
    if (request.site != experiment.site)
        TRY(keepCells(db, experiment, request.site));
    const PlanFrame frame{db.id(), request.site, options.worker.string(),
                          layout::dataFolder(options.localRoot).string()};
    CampaignPlan campaign = planOf(experiment, frame, std::move(specs));
    TRY(store::addCampaign(db, campaign));
    return campaign.campaign;
}

void Conductor::Parts::launch(store::Database& db, Ticket ticket, const LaunchRequest& request)
{
    const auto campaign = plan(db, request);
    if (!campaign || !*campaign)
        return sink.commandDone(ticket, campaign ? Result<void>() : tl::unexpected(campaign.error()));
    if (const auto runs = store::runsOfCampaign(db, **campaign)) {
        std::vector<RunId> ids;
        for (const campaign::RunChange& run : *runs)
            ids.push_back(run.run);
        store->announce(ids);
    }
    local->post([id = **campaign, ticket](CampaignDriver& driver) { driver.watch(id, ticket); });
}

void Conductor::Parts::followLog(store::Database& db, Ticket ticket, const RunId& run)
{
    const auto row = store::runById(db, run);
    if (!row || !*row)
        return sink.commandDone(ticket, row ? fail(ErrorCode::notFound, Words::tr("There is no such run."))
                                            : tl::unexpected(row.error()));
    local->postWithContact([ticket, run, campaign = (*row)->campaign](CampaignDriver& driver) {
        driver.followLog(ticket, run, campaign);
    });
}

Result<std::unique_ptr<Conductor>> Conductor::open(const ConductorOptions& options, Sink& sink)
{
    auto parts = std::make_unique<Parts>(options, sink);
    TRY(parts->start());
    return std::unique_ptr<Conductor>(new Conductor(std::move(parts)));
}

Conductor::Conductor(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts))
{
}

Conductor::~Conductor() = default;

Ticket Conductor::saveExperiment(const spec::Experiment& experiment)
{
    return m_parts->change([parts = m_parts.get(), experiment](
                               store::Database& db) { return parts->keepCells(db, experiment, experiment.site); },
                           experiment.name);
}

Ticket Conductor::setStarred(const std::string& experiment, bool starred)
{
    return m_parts->change([=](store::Database& db) { return store::setStarred(db, experiment, starred); }, experiment);
}

Ticket Conductor::setArchived(const std::string& experiment, bool archived)
{
    return m_parts->change([=](store::Database& db) { return store::setArchived(db, experiment, archived); },
                           experiment);
}

Ticket Conductor::deleteExperiment(const std::string& experiment)
{
    const auto work = [experiment](store::Database& db) -> Result<void> {
        TRY(requireIdle(db, experiment));
        return store::deleteExperiment(db, experiment);
    };
    return m_parts->change(work, experiment);
}

Ticket Conductor::launch(const LaunchRequest& request)
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->store->post(
        [parts = m_parts.get(), ticket, request](store::Database& db) { parts->launch(db, ticket, request); });
    return ticket;
}

Ticket Conductor::control(const ControlRequest& request)
{
    const Ticket ticket = ++m_parts->lastTicket;
    // By way of the store, so that a launch before it is known to the site's thread.
    m_parts->store->post([parts = m_parts.get(), ticket, request](store::Database&) {
        parts->local->post([ticket, request](CampaignDriver& driver) { driver.control(ticket, request); });
    });
    return ticket;
}

Ticket Conductor::collect()
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->local->post([ticket](CampaignDriver& driver) { driver.collect(ticket); });
    return ticket;
}

Ticket Conductor::followLog(const RunId& run)
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->store->post(
        [parts = m_parts.get(), ticket, run](store::Database& db) { parts->followLog(db, ticket, run); });
    return ticket;
}

} // namespace ringside
