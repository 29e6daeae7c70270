// SPDX-License-Identifier: MIT
#include "core/conductor/conductor.h"

#include "core/base/words.h"
#include "core/conductor/cleanup.h"
#include "core/conductor/launches.h"
#include "core/conductor/orders.h"
#include "core/conductor/sitethreads.h"
#include "core/conductor/storethread.h"
#include "core/conductor/waitinginstallations.h"
#include "core/imports/importing.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <algorithm>
#include <mutex>

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
            store->giveUp(); // or a full disk would make the site wait
        if (sites)
            sites->stop();
    }

    ConductorOptions options;
    Sink& sink;
    std::unique_ptr<SiteThreads> sites;
    WaitingInstallations installations;
    std::unique_ptr<StoreThread> store; ///< ends first: jobs in its queue know the sites

    Result<void> start();
    Result<void> resume();
    /// Hands the site to `use`, or says in `done` why there is none.
    template <class T, class Use> void at(const std::string& name, const Completion<T>& done, const Use& use)
    {
        if (const auto there = sites->find(name))
            use(**there);
        else
            done(tl::unexpected(there.error()));
    }
    void change(const std::string& experiment, std::function<Result<void>(store::Database&)> work, Completion<> done);
    void withReadySite(const std::string& name, const Completion<ReadySite>& then);
    /// `use(db, ready)` once it is ready; else `done` gets the error.
    template <class T, class Use> void onReadySite(const std::string& name, const Completion<T>& done, Use use)
    {
        withReadySite(name, [this, done, use = std::move(use)](Result<ReadySite> ready) {
            if (!ready)
                return done(tl::unexpected(ready.error()));
            store->post([use, ready = std::move(*ready)](store::Database& db) { use(db, ready); });
        });
    }
    void launchOn(store::Database& db, const LaunchRequest& request, const ReadySite& ready, const Completion<>& done);
    void announceRunsOf(const std::vector<CampaignPlan>& campaigns);
    void control(store::Database& db, const ControlOrder& order, const Completion<>& done);
    Result<void> controlWithoutSite(store::Database& db, const std::string& name, const ControlOrder& order);
    void collect(store::Database& db, const Completion<>& done);
    Result<std::set<std::string>> busySites(const store::Database& db) const;
    void listInstalled(store::Database& db, const std::string& name,
                       const Completion<std::vector<wire::InstalledItem>>& done);
    void removeInstalled(store::Database& db, const std::string& name, const std::vector<wire::Item>& items,
                         const Completion<wire::DeleteReply>& done);
    void install(store::Database& db, const std::string& name, std::uint64_t number, wire::EngineRequest request,
                 const OnEngineProgress& progress);
    void followLog(store::Database& db, const RunId& run, const Completion<>& done);
};

namespace {

std::set<std::string> sitesOf(const std::vector<store::CampaignRow>& campaigns)
{
    std::set<std::string> names;
    for (const store::CampaignRow& campaign : campaigns)
        names.insert(campaign.site);
    return names;
}

/// Sites whose campaigns a command is about. One at least: it will say that nothing of this runs.
Result<std::set<std::string>> sitesOfControl(const store::Database& db, const ControlOrder& order)
{
    std::set<std::string> names;
    if (order.control.kind == Control::Kind::cancelRun) {
        TRY_ASSIGN(const std::optional<store::RunRow> row, store::runById(db, order.control.run));
        names.insert(row ? row->site : spec::kLocalSite);
        return names;
    }
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished)
        if (order.experiment.empty() || campaign.experiment == order.experiment)
            names.insert(campaign.site);
    if (names.empty())
        names.insert(spec::kLocalSite);
    return names;
}

/// Completes `done` once that many sites or campaigns have been completed, with the first error; the sink gets the
/// others.
Completion<> whenAll(std::size_t parts, Completion<> done, Sink& sink)
{
    struct Gathered
    {
        std::mutex mutex;
        std::size_t left;
        Result<void> result;
    };
    auto gathered = std::make_shared<Gathered>();
    gathered->left = parts;
    return [gathered, done = std::move(done), &sink](const Result<void>& result) {
        const std::lock_guard lock(gathered->mutex);
        if (!result && !gathered->result)
            sink.problem(result.error());
        else if (!result)
            gathered->result = result;
        if (--gathered->left == 0)
            done(gathered->result);
    };
}

/// One that can be called in any case.
template <class T> Completion<T> orNothing(Completion<T> done)
{
    return done ? std::move(done) : [](const Result<T>&) {};
}

/// A cancelled campaign whose site is gone will never end, and does not count.
Result<void> requireIdle(const store::Database& db, SiteThreads& sites, const std::string& experiment)
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished)
        if (campaign.experiment == experiment && !(campaign.cancelled && sites.isGone(campaign.site)))
            return fail(ErrorCode::busy,
                        Words::tr("A campaign of “{}” at “{}” has not ended yet.", experiment, campaign.site),
                        Words::tr("Cancel it, or wait until its runs and the collection of their samples have ended."));
    return {};
}

} // namespace

Result<void> Conductor::Parts::start()
{
    if (options.localRoot.empty()) {
        TRY_ASSIGN(options.localRoot, dataFolder());
    }
    TRY(makePrivateFolder(options.localRoot));
    TRY_ASSIGN(store, StoreThread::open(options.store, sink));
    sites = std::make_unique<SiteThreads>(options, *store, sink);
    return resume();
}

/// The threads of sites where an earlier program left something unfinished go on with it. A site that is described no
/// longer is a problem of its own, once.
Result<void> Conductor::Parts::resume()
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished,
               store->call([](store::Database& db) { return store::campaigns(db, true); }));
    for (const std::string& site : sitesOf(unfinished))
        if (const auto there = sites->find(site); !there)
            sink.problem(there.error());
    return {};
}

/// A short change of one experiment; its end is reported, then the change.
void Conductor::Parts::change(const std::string& experiment, std::function<Result<void>(store::Database&)> work,
                              Completion<> done)
{
    store->post([this, experiment, work = std::move(work), done = orNothing(std::move(done))](store::Database& db) {
        const Result<void> changed = work(db);
        done(changed);
        if (changed)
            store->announceExperiments({experiment});
    });
}

/// This computer is always ready; elsewhere a plan needs to know where things are. Called by way of the store, behind
/// the requests before.
void Conductor::Parts::withReadySite(const std::string& name, const Completion<ReadySite>& then)
{
    if (name == spec::kLocalSite)
        return then(sites->thisComputer());
    at(name, then, [&](SiteThread& site) { site.prepare(then); });
}

void Conductor::Parts::launchOn(store::Database& db, const LaunchRequest& request, const ReadySite& ready,
                                const Completion<>& done)
{
    auto campaigns = storeLaunch(db, request, ready);
    if (!campaigns)
        return done(tl::unexpected(campaigns.error()));
    if (request.revision)
        store->announceExperiments({request.experiment});
    if (campaigns->empty())
        return done({});
    announceRunsOf(*campaigns);
    at(request.site, done, [&](SiteThread& site) {
        const Completion<> each = whenAll(campaigns->size(), done, sink);
        for (CampaignPlan& campaign : *campaigns) {
            auto plan = std::make_shared<CampaignPlan>(std::move(campaign)); // jobs are copied
            site.post([plan, each](CampaignDriver& driver) { driver.watch(std::move(*plan), each); });
        }
    });
}

void Conductor::Parts::announceRunsOf(const std::vector<CampaignPlan>& campaigns)
{
    std::vector<RunId> ids;
    for (const CampaignPlan& campaign : campaigns)
        std::ranges::transform(campaign.runs, std::back_inserter(ids), &RunSpec::id);
    store->announce(ids);
}

/// Returns the sites whose campaigns have not all ended, and this computer in any case.
Result<std::set<std::string>> Conductor::Parts::busySites(const store::Database& db) const
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    std::set<std::string> names = sitesOf(unfinished);
    names.insert(spec::kLocalSite);
    return names;
}

/// Written down before the site's thread, which may be dialling for minutes, comes to it: this program may end first.
/// Where that fails the thread tries it again, and reports why. The thread alone knows which runs have not begun.
void Conductor::Parts::control(store::Database& db, const ControlOrder& order, const Completion<>& done)
{
    const auto names = sitesOfControl(db, order);
    if (!names)
        return done(tl::unexpected(names.error()));
    const Completion<> all = whenAll(names->size(), done, sink);
    for (const std::string& name : *names)
        if (sites->isGone(name))
            all(controlWithoutSite(db, name, order));
        else
            at(name, all, [&](SiteThread& site) {
                const bool isForAll = order.control.kind != Control::Kind::cancelWaiting;
                const auto written = isForAll ? writeDown(db, name, order, Ends::left) : Ordered();
                const bool isWritten = written && !written->experiments.empty();
                site.post([all, order, isWritten](CampaignDriver& driver) { driver.control(order, isWritten, all); });
            });
}

Result<void> Conductor::Parts::controlWithoutSite(store::Database& db, const std::string& name,
                                                  const ControlOrder& order)
{
    TRY_ASSIGN(const Ordered ordered, writeDown(db, name, order, Ends::written));
    if (ordered.experiments.empty())
        return tl::unexpected(nothingTo(order.control.kind));
    store->announce(ordered.runs);
    store->announceExperiments({ordered.experiments.begin(), ordered.experiments.end()});
    return {};
}

/// Nothing is to be had from a site that is gone, which was reported as a problem: it keeps the others from nothing.
void Conductor::Parts::collect(store::Database& db, const Completion<>& done)
{
    const auto names = busySites(db);
    if (!names)
        return done(tl::unexpected(names.error()));
    const Completion<> all = whenAll(names->size(), done, sink);
    const auto order = [all](CampaignDriver& driver) { driver.collect(all); };
    for (const std::string& name : *names)
        if (sites->isGone(name))
            all({});
        else
            at(name, all, [&](SiteThread& site) {
                name == spec::kLocalSite ? site.post(order) : site.postWithContact(order, Presence::interactive);
            });
}

void Conductor::Parts::listInstalled(store::Database& db, const std::string& name,
                                     const Completion<std::vector<wire::InstalledItem>>& done)
{
    at(name, done, [&](SiteThread& site) {
        const Unfinished unfinished = unfinishedAt(db, sites->onRootOf(name)).value_or(Unfinished());
        site.listInstalled([own = db.id(), unfinished, done](Result<std::vector<wire::InstalledItem>> items) {
            if (items)
                markKept(*items, own, unfinished);
            done(std::move(items));
        });
    });
}

void Conductor::Parts::removeInstalled(store::Database& db, const std::string& name,
                                       const std::vector<wire::Item>& items, const Completion<wire::DeleteReply>& done)
{
    const auto there = sites->find(name);
    auto request = there ? deletionOf(db, sites->onRootOf(name), items) : tl::unexpected(there.error());
    if (!request)
        return done(tl::unexpected(request.error()));
    const bool mayEndIt =
        std::ranges::any_of(items, [](const auto& item) { return item.kind == wire::ItemKind::agent; });
    (*there)->removeInstalled(std::move(*request), [mayEndIt, site = *there, done](Result<wire::DeleteReply> reply) {
        if (reply && mayEndIt)
            site->startAnew(); // its agent may be gone
        done(std::move(reply));
    });
}

/// The site does not know of a campaign that waits here and needs what an installation would change.
void Conductor::Parts::install(store::Database& db, const std::string& name, std::uint64_t number,
                               wire::EngineRequest request, const OnEngineProgress& progress)
{
    const auto there = sites->find(name);
    const auto unfinished = there ? unfinishedAt(db, sites->onRootOf(name)) : tl::unexpected(there.error());
    if (!unfinished)
        return installations.fail(number, unfinished.error());
    if (request.whyKept.empty())
        request.whyKept = unfinished->whyKept({wire::ItemKind::engine, request.name});
    installations.handOver(number, [&](Completion<InstalledEngine> done) {
        (*there)->askEngine(std::move(request), progress, std::move(done));
    });
}

void Conductor::Parts::followLog(store::Database& db, const RunId& run, const Completion<>& done)
{
    const auto row = store::runById(db, run);
    if (!row || !*row)
        return done(row ? fail(ErrorCode::notFound, Words::tr("There is no such run.")) : tl::unexpected(row.error()));
    const auto follow = [run, campaign = (*row)->campaign, done](CampaignDriver& driver) {
        driver.followLog(run, campaign, done);
    };
    at((*row)->site, done, [&](SiteThread& site) { site.postWithContact(follow, Presence::unattended); });
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

void Conductor::saveExperiment(const spec::Experiment& experiment, Completion<> done)
{
    const auto work = [experiment](store::Database& db) { return storeExperiment(db, experiment); };
    m_parts->change(experiment.name, work, std::move(done));
}

void Conductor::setStarred(const std::string& experiment, bool starred, Completion<> done)
{
    const auto work = [=](store::Database& db) { return store::setStarred(db, experiment, starred); };
    m_parts->change(experiment, work, std::move(done));
}

void Conductor::importLogs(std::shared_ptr<const imports::Import> import, Completion<imports::Imported> done)
{
    const auto work = [this, import = std::move(import), done = std::move(done)](store::Database& db) {
        Result<imports::Imported> imported = imports::storeImport(db, *import);
        const std::string experiment = imported ? imported->experiment : std::string();
        done(std::move(imported));
        if (!experiment.empty())
            m_parts->store->announceExperiments({experiment});
    };
    m_parts->store->post(StoreThread::Job(work));
}

void Conductor::setArchived(const std::string& experiment, bool archived, Completion<> done)
{
    const auto work = [=](store::Database& db) { return store::setArchived(db, experiment, archived); };
    m_parts->change(experiment, work, std::move(done));
}

void Conductor::deleteExperiment(const std::string& experiment, Completion<> done)
{
    const auto work = [parts = m_parts.get(), experiment](store::Database& db) -> Result<void> {
        TRY(requireIdle(db, *parts->sites, experiment));
        return store::deleteExperiment(db, experiment);
    };
    m_parts->change(experiment, work, std::move(done));
}

void Conductor::preview(const LaunchRequest& request, Completion<LaunchPreview> done)
{
    const auto work = [parts = m_parts.get(), request, end = orNothing(std::move(done))](store::Database&) {
        parts->onReadySite(request.site, end, [request, end](store::Database& db, const ReadySite& ready) {
            end(previewLaunch(db, request, ready));
        });
    };
    m_parts->store->post(StoreThread::Job(work));
}

void Conductor::launch(const LaunchRequest& request, Completion<> done)
{
    const auto work = [parts = m_parts.get(), request, end = orNothing(std::move(done))](store::Database& asked) {
        const bool isStored = store::experimentText(asked, request.experiment).has_value();
        parts->onReadySite(request.site, end, [=](store::Database& db, const ReadySite& ready) {
            if (const auto there = isStored ? requireStored(db, request.experiment) : Result<void>(); !there)
                return end(there);
            parts->launchOn(db, request, ready, end);
        });
    };
    m_parts->store->post(StoreThread::Job(work));
}

void Conductor::control(const ControlOrder& order, Completion<> done)
{
    // By way of the store, so that a launch before it is known to the site's thread.
    m_parts->store->post([parts = m_parts.get(), order, done = orNothing(std::move(done))](store::Database& db) {
        parts->control(db, order, done);
    });
}

void Conductor::collect(Completion<> done)
{
    m_parts->store->post(
        [parts = m_parts.get(), done = orNothing(std::move(done))](store::Database& db) { parts->collect(db, done); });
}

void Conductor::prepareSite(const std::string& name, bool computeNode, Completion<> done)
{
    const auto end = orNothing(std::move(done));
    if (name == spec::kLocalSite)
        return end(fail(ErrorCode::usage, Words::tr("This computer needs no preparation."),
                        Words::tr("“ringside-worker selftest” tests it.")));
    const auto prepared = [end](const Result<ReadySite>& ready) { end(ready.map([](const ReadySite&) {})); };
    using Scope = SitePreparation::Scope;
    m_parts->at(name, end,
                [&](SiteThread& site) { site.prepare(prepared, computeNode ? Scope::computeNode : Scope::loginNode); });
}

void Conductor::stopTest(const std::string& name, Completion<> done)
{
    const auto there = m_parts->sites->find(name);
    if (there)
        (*there)->stopTests();
    complete(done, there.map([](SiteThread*) {}));
}

void Conductor::disconnectSite(const std::string& name, Completion<> done)
{
    const auto end = orNothing(std::move(done));
    m_parts->at(name, end, [&](SiteThread& site) { site.disconnect(end); });
}

void Conductor::listInstalled(const std::string& site, Completion<std::vector<wire::InstalledItem>> done)
{
    m_parts->store->post([parts = m_parts.get(), site, done = orNothing(std::move(done))](store::Database& db) {
        parts->listInstalled(db, site, done);
    });
}

void Conductor::removeInstalled(const std::string& site, const std::vector<wire::Item>& items,
                                Completion<wire::DeleteReply> done)
{
    // By way of the store, behind all that has arrived.
    m_parts->store->post([parts = m_parts.get(), site, items, done = orNothing(std::move(done))](store::Database& db) {
        parts->removeInstalled(db, site, items, done);
    });
}

void Conductor::listEngines(const std::string& site, Completion<InstalledEngines> done)
{
    const auto end = orNothing(std::move(done));
    m_parts->at(site, end, [&](SiteThread& there) { there.listEngines(end); });
}

void Conductor::askEngine(const std::string& site, const wire::EngineRequest& request, OnEngineProgress progress,
                          Completion<InstalledEngine> done)
{
    auto end = orNothing(std::move(done));
    if (request.action == wire::EngineAction::install) { // by way of the store, which knows what waits
        const std::uint64_t number = m_parts->installations.add(site, request.name, std::move(end));
        return m_parts->store->post([parts = m_parts.get(), site, number, request, progress = std::move(progress)](
                                        store::Database& db) { parts->install(db, site, number, request, progress); });
    }
    if (request.action == wire::EngineAction::cancel && m_parts->installations.cancel(site, request.name))
        return end(InstalledEngine());
    m_parts->at(site, end, [&](SiteThread& there) { there.askEngine(request, std::move(progress), end); });
}

void Conductor::followLog(const RunId& run, Completion<> done)
{
    m_parts->store->post([parts = m_parts.get(), run, done = orNothing(std::move(done))](store::Database& db) {
        parts->followLog(db, run, done);
    });
}

} // namespace ringside
