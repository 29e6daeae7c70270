// SPDX-License-Identifier: MIT
#include "core/conductor/conductor.h"

#include "core/base/words.h"
#include "core/conductor/cleanup.h"
#include "core/conductor/launches.h"
#include "core/conductor/sitethreads.h"
#include "core/conductor/storethread.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <algorithm>
#include <atomic>
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
            store->giveUp(); // or a full disk would keep the site waiting
        if (sites)
            sites->stop();
    }

    ConductorOptions options;
    Sink& sink;
    std::atomic<Ticket> lastTicket = 0;
    std::unique_ptr<SiteThreads> sites;
    std::unique_ptr<StoreThread> store; ///< ends first: jobs in its queue know the sites

    Result<void> start();
    Result<void> resume();
    Answer answer(Ticket ticket);
    Answer answer(Ticket ticket, std::size_t parts);
    Ticket change(std::function<Result<void>(store::Database&)> work, const std::string& experiment);
    void withReadySite(const std::string& name, SitePreparation::Then then);
    void preview(Ticket ticket, const LaunchRequest& request, const std::optional<spec::Experiment>& experiment);
    void launch(Ticket ticket, const LaunchRequest& request);
    void launchOn(store::Database& db, Ticket ticket, const LaunchRequest& request, const ReadySite& ready);
    void announceRunsOf(const std::vector<CampaignPlan>& campaigns);
    void control(store::Database& db, Ticket ticket, const ControlRequest& request);
    void collect(store::Database& db, Ticket ticket);
    Result<std::set<std::string>> busySites(const store::Database& db) const;
    void listInstalled(store::Database& db, Ticket ticket, const std::string& name);
    void removeInstalled(store::Database& db, Ticket ticket, const std::string& name,
                         const std::vector<wire::Item>& items);
    void followLog(store::Database& db, Ticket ticket, const RunId& run);
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
Result<std::set<std::string>> sitesOfControl(const store::Database& db, const ControlRequest& request)
{
    std::set<std::string> names;
    if (request.run) {
        TRY_ASSIGN(const std::optional<store::RunRow> row, store::runById(db, *request.run));
        names.insert(row ? row->site : spec::kLocalSite);
        return names;
    }
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished)
        if (request.experiment.empty() || campaign.experiment == request.experiment)
            names.insert(campaign.site);
    if (names.empty())
        names.insert(spec::kLocalSite);
    return names;
}

Result<void> requireIdle(const store::Database& db, const std::string& experiment)
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished)
        if (campaign.experiment == experiment)
            return fail(
                ErrorCode::busy,
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

/// What an earlier program left unfinished.
Result<void> Conductor::Parts::resume()
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished,
               store->call([](store::Database& db) { return store::campaigns(db, true); }));
    for (const std::string& site : sitesOf(unfinished)) {
        TRY_ASSIGN(const std::optional<std::int64_t> heard,
                   store->call([site](store::Database& db) { return store::lastHeard(db, site); }));
        if (const auto there = sites->find(site); there && heard)
            (*there)->setLastHeard(*heard);
    }
    for (const store::CampaignRow& campaign : unfinished) {
        const auto there = sites->find(campaign.site);
        if (there)
            (*there)->post([id = campaign.id](CampaignDriver& driver) { driver.watch(id, {}); });
        else
            sink.problem(there.error());
    }
    return {};
}

Answer Conductor::Parts::answer(Ticket ticket)
{
    return [this, ticket](const Result<void>& result) { sink.commandDone(ticket, result); };
}

/// The end of a command that several sites carry out: told once, when each has answered, with the first error.
Answer Conductor::Parts::answer(Ticket ticket, std::size_t parts)
{
    struct Gathered
    {
        std::mutex mutex;
        std::size_t left;
        Result<void> result;
    };
    auto gathered = std::make_shared<Gathered>();
    gathered->left = parts;
    return [this, ticket, gathered](const Result<void>& result) {
        const std::lock_guard lock(gathered->mutex);
        if (!result && gathered->result)
            gathered->result = result;
        if (--gathered->left == 0)
            sink.commandDone(ticket, gathered->result);
    };
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

/// This computer is always ready; elsewhere a plan needs to know where things are.
void Conductor::Parts::withReadySite(const std::string& name, SitePreparation::Then then)
{
    if (name == spec::kLocalSite)
        return then(sites->thisComputer());
    const auto there = sites->find(name);
    if (!there)
        return then(tl::unexpected(there.error()));
    (*there)->prepare(std::move(then));
}

void Conductor::Parts::preview(Ticket ticket, const LaunchRequest& request,
                               const std::optional<spec::Experiment>& experiment)
{
    withReadySite(request.site, [this, ticket, experiment, request](const Result<ReadySite>& ready) {
        if (!ready)
            return sink.commandDone(ticket, tl::unexpected(ready.error()));
        store->post([this, ticket, experiment, request, ready = *ready](store::Database& db) {
            auto shown = previewLaunch(db, request, ready, experiment);
            if (shown) {
                shown->ticket = ticket;
                sink.launchPreviewed(*shown);
            }
            sink.commandDone(ticket, shown.map([](const LaunchPreview&) {}));
        });
    });
}

void Conductor::Parts::launch(Ticket ticket, const LaunchRequest& request)
{
    withReadySite(request.site, [this, ticket, request](const Result<ReadySite>& ready) {
        if (!ready)
            return sink.commandDone(ticket, tl::unexpected(ready.error()));
        store->post(
            [this, ticket, request, ready = *ready](store::Database& db) { launchOn(db, ticket, request, ready); });
    });
}

void Conductor::Parts::launchOn(store::Database& db, Ticket ticket, const LaunchRequest& request,
                                const ReadySite& ready)
{
    auto campaigns = keepLaunch(db, request, ready);
    if (!campaigns || campaigns->empty())
        return sink.commandDone(ticket, campaigns ? Result<void>() : tl::unexpected(campaigns.error()));
    announceRunsOf(*campaigns);
    const auto there = sites->find(request.site);
    if (!there)
        return sink.commandDone(ticket, tl::unexpected(there.error()));
    const Answer all = answer(ticket, campaigns->size());
    for (CampaignPlan& campaign : *campaigns) {
        auto plan = std::make_shared<CampaignPlan>(std::move(campaign)); // jobs are copied
        (*there)->post([plan, all](CampaignDriver& driver) { driver.watch(std::move(*plan), all); });
    }
}

void Conductor::Parts::announceRunsOf(const std::vector<CampaignPlan>& campaigns)
{
    std::vector<RunId> ids;
    for (const CampaignPlan& campaign : campaigns)
        std::ranges::transform(campaign.runs, std::back_inserter(ids), &RunSpec::id);
    store->announce(ids);
}

/// Where campaigns have not ended, and this computer in any case.
Result<std::set<std::string>> Conductor::Parts::busySites(const store::Database& db) const
{
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    std::set<std::string> names = sitesOf(unfinished);
    names.insert(spec::kLocalSite);
    return names;
}

void Conductor::Parts::control(store::Database& db, Ticket ticket, const ControlRequest& request)
{
    const auto names = sitesOfControl(db, request);
    if (!names)
        return sink.commandDone(ticket, tl::unexpected(names.error()));
    const Answer all = answer(ticket, names->size());
    for (const std::string& name : *names) {
        const auto there = sites->find(name);
        if (there)
            (*there)->post([all, request](CampaignDriver& driver) { driver.control(request, all); });
        else
            all(tl::unexpected(there.error()));
    }
}

void Conductor::Parts::collect(store::Database& db, Ticket ticket)
{
    const auto names = busySites(db);
    if (!names)
        return sink.commandDone(ticket, tl::unexpected(names.error()));
    const Answer all = answer(ticket, names->size());
    for (const std::string& name : *names) {
        const auto there = sites->find(name);
        if (!there)
            all(tl::unexpected(there.error()));
        else if (name == spec::kLocalSite)
            (*there)->post([all](CampaignDriver& driver) { driver.collect(all); });
        else
            (*there)->postWithContact([all](CampaignDriver& driver) { driver.collect(all); }, Presence::person);
    }
}

void Conductor::Parts::listInstalled(store::Database& db, Ticket ticket, const std::string& name)
{
    const auto there = sites->find(name);
    if (!there)
        return sink.commandDone(ticket, tl::unexpected(there.error()));
    const std::set<std::string> unfinished = unfinishedNames(db).value_or(std::set<std::string>());
    (*there)->listInstalled(
        [this, ticket, name, own = db.id(), unfinished](Result<std::vector<wire::InstalledItem>> items) {
            if (items) {
                markKept(*items, own, unfinished);
                sink.installedListed(name, *items);
            }
            sink.commandDone(ticket, items ? Result<void>() : tl::unexpected(items.error()));
        });
}

void Conductor::Parts::removeInstalled(store::Database& db, Ticket ticket, const std::string& name,
                                       const std::vector<wire::Item>& items)
{
    const auto there = sites->find(name);
    auto request = there ? deletionOf(db, name, items) : tl::unexpected(there.error());
    if (!request)
        return sink.commandDone(ticket, tl::unexpected(request.error()));
    const bool mayEndIt =
        std::ranges::any_of(items, [](const auto& item) { return item.kind == wire::ItemKind::agent; });
    (*there)->removeInstalled(std::move(*request),
                              [this, ticket, name, mayEndIt, site = *there](const Result<wire::DeleteReply>& reply) {
                                  if (reply)
                                      sink.installedRemoved(name, *reply);
                                  if (reply && mayEndIt)
                                      site->startAnew(); // its agent may be gone
                                  sink.commandDone(ticket, reply ? Result<void>() : tl::unexpected(reply.error()));
                              });
}

void Conductor::Parts::followLog(store::Database& db, Ticket ticket, const RunId& run)
{
    const auto row = store::runById(db, run);
    if (!row || !*row)
        return sink.commandDone(ticket, row ? fail(ErrorCode::notFound, Words::tr("There is no such run."))
                                            : tl::unexpected(row.error()));
    const auto there = sites->find((*row)->site);
    if (!there)
        return sink.commandDone(ticket, tl::unexpected(there.error()));
    const auto follow = [this, ticket, run, campaign = (*row)->campaign](CampaignDriver& driver) {
        driver.followLog(run, campaign, answer(ticket));
    };
    (*there)->postWithContact(follow, Presence::nobody);
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
    const auto work = [experiment](store::Database& db) { return keepExperiment(db, experiment, experiment.site); };
    return m_parts->change(work, experiment.name);
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

Ticket Conductor::preview(const LaunchRequest& request, const std::optional<spec::Experiment>& experiment)
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->preview(ticket, request, experiment);
    return ticket;
}

Ticket Conductor::launch(const LaunchRequest& request)
{
    const Ticket ticket = ++m_parts->lastTicket;
    // By way of the store, so that the experiment as it was saved before is known.
    m_parts->store->post(
        [parts = m_parts.get(), ticket, request](store::Database&) { parts->launch(ticket, request); });
    return ticket;
}

Ticket Conductor::control(const ControlRequest& request)
{
    const Ticket ticket = ++m_parts->lastTicket;
    // By way of the store, so that a launch before it is known to the site's thread.
    m_parts->store->post(
        [parts = m_parts.get(), ticket, request](store::Database& db) { parts->control(db, ticket, request); });
    return ticket;
}

Ticket Conductor::collect()
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->store->post([parts = m_parts.get(), ticket](store::Database& db) { parts->collect(db, ticket); });
    return ticket;
}

Ticket Conductor::prepareSite(const std::string& name, bool computeNode)
{
    const Ticket ticket = ++m_parts->lastTicket;
    if (name == spec::kLocalSite) {
        m_parts->sink.commandDone(ticket, fail(ErrorCode::usage, Words::tr("This computer needs no preparation."),
                                               Words::tr("“ringside-worker selftest” tests it.")));
        return ticket;
    }
    const auto there = m_parts->sites->find(name);
    if (!there) {
        m_parts->sink.commandDone(ticket, tl::unexpected(there.error()));
        return ticket;
    }
    const auto tell = [parts = m_parts.get(), ticket](const Result<ReadySite>& ready) {
        parts->sink.commandDone(ticket, ready.map([](const ReadySite&) {}));
    };
    using Scope = SitePreparation::Scope;
    (*there)->prepare(tell, computeNode ? Scope::computeNode : Scope::loginNode);
    return ticket;
}

Ticket Conductor::stopTest(const std::string& name)
{
    const Ticket ticket = ++m_parts->lastTicket;
    const auto there = m_parts->sites->find(name);
    if (there)
        (*there)->stopTests();
    m_parts->sink.commandDone(ticket, there ? Result<void>() : tl::unexpected(there.error()));
    return ticket;
}

Ticket Conductor::disconnectSite(const std::string& name)
{
    const Ticket ticket = ++m_parts->lastTicket;
    const auto there = m_parts->sites->find(name);
    if (there)
        (*there)->disconnect();
    m_parts->sink.commandDone(ticket, there ? Result<void>() : tl::unexpected(there.error()));
    return ticket;
}

Ticket Conductor::listInstalled(const std::string& site)
{
    const Ticket ticket = ++m_parts->lastTicket;
    m_parts->store->post(
        [parts = m_parts.get(), ticket, site](store::Database& db) { parts->listInstalled(db, ticket, site); });
    return ticket;
}

Ticket Conductor::removeInstalled(const std::string& site, const std::vector<wire::Item>& items)
{
    const Ticket ticket = ++m_parts->lastTicket;
    // By way of the store, behind all that has arrived.
    m_parts->store->post([parts = m_parts.get(), ticket, site, items](store::Database& db) {
        parts->removeInstalled(db, ticket, site, items);
    });
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
