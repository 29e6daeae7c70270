// SPDX-License-Identifier: MIT
#include "core/conductor/campaigndriver.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/campaign/narrow.h"
#include "core/store/campaignstate.h"
#include "core/store/edits.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"

#include <algorithm>

namespace ringside {

using campaign::Stage;

namespace {

constexpr std::int64_t kTickNs = 1'000'000'000;
/// Until a submission that could not be written down is tried again.
constexpr std::int64_t kChoosePauseNs = 5'000'000'000;

} // namespace

CampaignDriver::CampaignDriver(SiteLink& link, StoreThread& store, Sink& sink, std::stop_token stop)
    : m_link(link)
    , m_store(store)
    , m_sink(sink)
    , m_stop(std::move(stop))
{
}

// ---- which campaigns

CampaignDriver::Watched* CampaignDriver::find(const CampaignId& id)
{
    const auto found = m_campaigns.find(id);
    return found == m_campaigns.end() ? nullptr : &found->second;
}

Result<CampaignDriver::Stored> CampaignDriver::read(const CampaignId& id)
{
    TRY_ASSIGN(Stored stored, m_store.call([id](store::Database& db) -> Result<Stored> {
        TRY_ASSIGN(const auto row, store::campaignById(db, id));
        if (!row)
            return fail(ErrorCode::notFound, Words::tr("The campaign is no longer in the store."));
        TRY_ASSIGN(campaign::State state, store::campaignState(db, *row));
        return Stored{*row, std::move(state)};
    }));
    stored.state.connected = m_link.isConnected();
    return stored;
}

Result<CampaignDriver::Watched> CampaignDriver::load(const CampaignId& id, std::optional<CampaignPlan> plan)
{
    TRY_ASSIGN(Stored stored, read(id));
    Watched watched(id);
    watched.state = std::move(stored.state);
    watched.stored = watched.state.stage;
    watched.createdAt = stored.row.createdAt;
    if (!plan) {
        TRY_ASSIGN(plan, planFromJson(stored.row.planJson));
    }
    watched.plan = std::move(*plan);
    watched.submission = stored.row.submission;
    return watched;
}

void CampaignDriver::watch(const CampaignId& id, Completion<> done)
{
    watch(id, std::nullopt, std::move(done));
}

void CampaignDriver::watch(CampaignPlan plan, Completion<> done)
{
    const CampaignId id = plan.campaign;
    watch(id, std::move(plan), std::move(done));
}

void CampaignDriver::watch(const CampaignId& id, std::optional<CampaignPlan> plan, Completion<> done)
{
    auto loaded = load(id, std::move(plan));
    if (!loaded) {
        m_sink.problem(loaded.error());
        return complete(done, tl::unexpected(loaded.error()));
    }
    Watched& watched = m_campaigns.insert_or_assign(id, std::move(*loaded)).first->second;
    watched.launch = std::move(done);
    if (watched.state.stage == Stage::waiting && !goesBeside(watched) && isOccupied())
        complete(watched.launch, {}); // its runs say what they wait for
    if (m_link.isConnected() && isHandedOver(watched.state.stage))
        apply(watched, campaign::Connected{});
}

bool CampaignDriver::has(Stage stage) const
{
    return std::ranges::any_of(m_campaigns, [&](const auto& each) { return each.second.state.stage == stage; });
}

jobs::Submitter CampaignDriver::submitterOf(const Watched& watched)
{
    return jobs::submitterOf(watched.submission.scheduler).value_or(jobs::Submitter{}); // of a newer version: none
}

bool CampaignDriver::isByHand(const Watched& watched)
{
    return submitterOf(watched).byHand;
}

bool CampaignDriver::goesBeside(const Watched& watched)
{
    return isByHand(watched) || (submitterOf(watched).scheduler && watched.plan.runs.size() == 1);
}

bool CampaignDriver::isOccupied() const
{
    return std::ranges::any_of(m_campaigns, [](const auto& each) {
        const Stage stage = each.second.state.stage;
        return (stage == Stage::submitting || stage == Stage::submitted) && !isByHand(each.second);
    });
}

void CampaignDriver::chooseNext()
{
    if (monotonicNs() < m_chooseAtNs)
        return;
    const bool isFree = !isOccupied();
    const auto isDue = [&](const Watched& watched) {
        const campaign::State& state = watched.state;
        return state.stage == Stage::waiting && (state.cancelled || (!state.held && (isFree || goesBeside(watched))));
    };
    Watched* next = nullptr;
    for (auto& [id, watched] : m_campaigns)
        if (isDue(watched) && (!next || watched.createdAt < next->createdAt))
            next = &watched;
    if (!next)
        return;
    if (const auto narrowed = narrow(*next); !narrowed) {
        m_sink.problem(narrowed.error());
        m_chooseAtNs = monotonicNs() + kChoosePauseNs;
        return;
    }
    apply(*next, campaign::Chosen{wallNs()});
}

/// A run that was cancelled while it waited is not handed over, nor one that an earlier campaign turns out to have
/// done; other attempts that have become known are reported to the site.
Result<void> CampaignDriver::narrow(Watched& watched)
{
    TRY_ASSIGN(Stored stored, read(watched.plan.campaign));
    watched.state = std::move(stored.state);
    CampaignPlan plan = watched.plan;
    if (!campaign::narrow(plan, watched.state))
        return {};
    TRY(m_store.call([&plan](store::Database& db) { return store::replacePlan(db, plan); }));
    watched.plan = std::move(plan);
    return {};
}

void CampaignDriver::forgetEnded()
{
    for (auto next = m_campaigns.begin(); next != m_campaigns.end();) {
        const auto each = next++;
        if (each->second.state.stage != Stage::ended)
            continue;
        if (m_link.isConnected())
            (void)m_link.send(wire::UnfollowRequest{0, each->first}); // a lost line is noticed by the next receive
        complete(each->second.launch, {});
        m_campaigns.erase(each);
    }
}

void CampaignDriver::onConnected()
{
    for (auto& [id, watched] : m_campaigns)
        apply(watched, campaign::Connected{});
}

void CampaignDriver::onDisconnected(const Error& error)
{
    for (auto& [id, request] : std::exchange(m_requests, {}))
        complete(request.done, request.purpose == Purpose::order ? Result<void>() : tl::unexpected(error));
    for (Completion<>& done : std::exchange(m_collects, {}))
        complete(done, tl::unexpected(error));
    m_logsOnly.clear();
    // Campaigns that are still watched are followed again with contact, their logs where they had come to.
    const auto isShown = [&](const auto& each) { return each.second.state.runs.contains(m_logRun); };
    if (std::ranges::none_of(m_campaigns, isShown)) {
        m_logRun = {};
        m_logCampaign = {};
    }
    for (auto& [id, watched] : m_campaigns) {
        complete(watched.launch, tl::unexpected(error));
        watched.failed.reset();
        apply(watched, campaign::Disconnected{m_link.lostAt()});
    }
}

Error CampaignDriver::withOutlook(Error error) const
{
    if (has(Stage::submitted))
        error.hint = Words::tr("Jobs continue there; samples will be fetched.");
    else if (has(Stage::submitting))
        error.hint = Words::tr("It has not confirmed the runs; they are submitted as soon as it answers.");
    return error;
}

void CampaignDriver::tick()
{
    forgetEnded();
    chooseNext();
    forgetEnded();
    completeCollects();
    if (monotonicNs() - m_tickedNs < kTickNs)
        return;
    m_tickedNs = monotonicNs();
    for (auto& [id, watched] : m_campaigns) {
        apply(watched, campaign::Ticked{});
        readAgain(watched);
    }
}

// ---- events and actions

void CampaignDriver::apply(Watched& watched, const campaign::Event& event)
{
    std::vector<store::Arrival> arrivals;
    apply(watched, event, arrivals);
    flush(arrivals);
}

void CampaignDriver::apply(Watched& watched, const campaign::Event& event, std::vector<store::Arrival>& arrivals)
{
    carryOut(watched, step(watched.state, event), arrivals);
}

void CampaignDriver::carryOut(Watched& watched, const std::vector<campaign::Action>& actions,
                              std::vector<store::Arrival>& arrivals)
{
    for (const campaign::Action& action : actions) {
        if (const auto* run = std::get_if<campaign::SaveRun>(&action)) {
            arrivals.emplace_back(run->change);
            continue;
        }
        flush(arrivals);
        const Stage before = watched.state.stage;
        std::visit([&](const auto& each) { act(watched, each); }, action);
        if (watched.state.stage != before)
            return; // it could not be written down, so nothing that follows may be done
    }
}

void CampaignDriver::flush(std::vector<store::Arrival>& arrivals)
{
    if (!arrivals.empty())
        m_store.post(std::exchange(arrivals, {}), m_stop);
}

void CampaignDriver::keep(StoreThread::Job job)
{
    m_store.post(std::move(job));
}

void CampaignDriver::edit(std::function<Result<void>(store::Database&)> change)
{
    keep([this, change = std::move(change)](store::Database& db) {
        if (const auto kept = change(db); !kept)
            m_sink.problem(kept.error());
    });
}

/// Waits until it is written, “submitting” before anything is sent. No end while a later version has files to read.
void CampaignDriver::act(Watched& watched, const campaign::SaveStage& action)
{
    if (action.stage == Stage::ended && watched.files.hasNewer())
        return announceExperiment(watched);
    const CampaignId id = watched.plan.campaign;
    const auto kept =
        m_store.call([id, action](store::Database& db) { return store::setStage(db, id, action.stage, action.job); });
    if (kept) {
        watched.stored = action.stage;
        return announceExperiment(watched);
    }
    m_sink.problem(kept.error());
    complete(watched.launch, kept);
    if (action.stage == Stage::submitting || watched.stored == Stage::waiting) { // it is chosen or succeeded again
        apply(watched, campaign::Unsaved{watched.stored});
        m_chooseAtNs = monotonicNs() + kChoosePauseNs;
    }
}

void CampaignDriver::announceExperiment(const Watched& watched)
{
    keep([this, name = watched.plan.experiment](store::Database&) { m_store.announceExperiments({name}); });
}

void CampaignDriver::act(Watched& watched, const campaign::SaveHeld&)
{
    announceExperiment(watched);
}

void CampaignDriver::act(Watched&, const campaign::SaveRunCancelled& action)
{
    keep([this, run = action.run](store::Database&) { m_store.announce({run}); });
}

void CampaignDriver::act(Watched& watched, const campaign::SaveContact& action)
{
    std::vector<RunId> runs;
    for (const auto& [id, run] : watched.state.runs)
        if (!isFinal(run.state))
            runs.push_back(id);
    edit([id = watched.plan.campaign, lostAt = action.lostAt, note = action.note](store::Database& db) {
        return store::setContact(db, id, lostAt, note);
    });
    keep([this, runs](store::Database&) { m_store.announce(runs); });
}

/// The plan goes as it is stored: the site compares the text of one that it has, and an earlier version may have
/// written it otherwise.
void CampaignDriver::act(Watched& watched, const campaign::Submit&)
{
    auto stored = read(watched.plan.campaign);
    if (!stored)
        return postpone(watched, stored.error());
    wire::SubmitRequest request;
    request.campaign = watched.plan.campaign;
    request.plan = std::move(stored->row.planJson);
    request.scheduler = watched.submission.scheduler;
    request.script = watched.submission.script;
    if (const auto asked = ask(std::move(request), {watched.plan.campaign, {}, Purpose::submission}); !asked)
        refuse(watched, asked.error());
}

void CampaignDriver::act(Watched& watched, const campaign::AskStatus&)
{
    askStatus(watched, Purpose::reading);
}

void CampaignDriver::askStatus(const Watched& watched, Purpose purpose)
{
    wire::StatusRequest request;
    request.campaigns = {watched.plan.campaign};
    (void)ask(std::move(request), {watched.plan.campaign, {}, purpose}); // one id is never too large
}

void CampaignDriver::act(Watched& watched, const campaign::Follow&)
{
    await(watched, sendFollow(watched.files, {watched.plan.campaign, {}, Purpose::reading}));
}

void CampaignDriver::act(Watched& watched, const Control& control)
{
    wire::ControlRequest request;
    request.campaign = watched.plan.campaign;
    request.control = control;
    (void)ask(std::move(request), {watched.plan.campaign, std::exchange(m_command, {}), Purpose::order, control.kind});
}

/// Returns the id of the request. A failed send is noticed, too, by the receive that follows, which drops the line;
/// then all of this is asked again. A message that is too large to be sent stays so: it is an error.
template <class Message> Result<std::uint32_t> CampaignDriver::ask(Message message, Request request)
{
    message.requestId = m_link.nextRequest();
    const auto sent = m_link.send(message);
    const bool isTooLarge = !sent && sent.error().code == ErrorCode::usage;
    if (sent)
        m_requests.emplace(message.requestId, std::move(request));
    else
        complete(request.done, request.purpose == Purpose::order && !isTooLarge ? Result<void>() : sent);
    if (isTooLarge)
        return tl::unexpected(sent.error());
    return message.requestId;
}

/// The id of the request. The site is reminded of a plan that it has lost.
Result<std::uint32_t> CampaignDriver::sendFollow(CampaignFiles& files, Request request)
{
    const auto cursors = m_store.call([id = request.campaign](store::Database& db) { return store::cursors(db, id); });
    if (!cursors) {
        complete(request.done, tl::unexpected(cursors.error()));
        return tl::unexpected(cursors.error());
    }
    wire::FollowRequest follow = files.restart(*cursors, m_link.root());
    if (const Watched* watched = find(request.campaign); watched && watched->state.isGone)
        follow.plan = planToJson(watched->plan);
    return ask(std::move(follow), std::move(request));
}

} // namespace ringside
