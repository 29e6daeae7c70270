// SPDX-License-Identifier: MIT
#include "core/conductor/campaignactions.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/campaign/narrow.h"
#include "core/store/edits.h"

#include <algorithm>
#include <iterator>

namespace ringside {

using campaign::Stage;

namespace {

/// Until a stage that could not be written down is tried again.
constexpr std::int64_t kChoosePauseNs = 5'000'000'000;
/// Until a campaign whose files could not be read is looked at again.
constexpr std::int64_t kReadPauseNs = 10'000'000'000;

} // namespace

CampaignActions::CampaignActions(RelayRequests& requests, StoreThread& store, Sink& sink, std::stop_token stop)
    : m_requests(requests)
    , m_store(store)
    , m_sink(sink)
    , m_stop(std::move(stop))
{
}

void CampaignActions::apply(WatchedCampaign& watched, const std::vector<campaign::Event>& events,
                            std::vector<store::Arrival> arrived)
{
    std::vector<store::Arrival> arrivals;
    for (const campaign::Event& event : events)
        carryOut(watched, step(watched.state, event), arrivals);
    std::ranges::move(arrived, std::back_inserter(arrivals));
    flush(arrivals);
}

void CampaignActions::carryOut(WatchedCampaign& watched, const std::vector<campaign::Action>& actions,
                               CompletionOfAll& command)
{
    m_command = &command;
    std::vector<store::Arrival> arrivals;
    carryOut(watched, actions, arrivals);
    flush(arrivals);
    m_command = nullptr;
}

void CampaignActions::carryOut(WatchedCampaign& watched, const std::vector<campaign::Action>& actions,
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

void CampaignActions::flush(std::vector<store::Arrival>& arrivals)
{
    if (!arrivals.empty())
        m_store.post(std::exchange(arrivals, {}), m_stop);
}

// ---- which is handed over

bool CampaignActions::mayChoose() const
{
    return monotonicNs() >= m_chooseAtNs;
}

void CampaignActions::pauseChoosing()
{
    m_chooseAtNs = monotonicNs() + kChoosePauseNs;
}

void CampaignActions::choose(WatchedCampaign& watched)
{
    if (const auto narrowed = narrow(watched); !narrowed) {
        m_sink.problem(narrowed.error());
        return pauseChoosing();
    }
    apply(watched, {campaign::Chosen{wallNs()}});
}

/// A run that was cancelled while it waited is not handed over, nor one that an earlier campaign turns out to have
/// done; other attempts that have become known are reported to the site.
Result<void> CampaignActions::narrow(WatchedCampaign& watched)
{
    TRY_ASSIGN(StoredCampaign stored, readCampaign(m_store, watched.plan.campaign));
    stored.state.connected = watched.state.connected;
    watched.state = std::move(stored.state);
    CampaignPlan plan = watched.plan;
    if (!campaign::narrow(plan, watched.state))
        return {};
    TRY(m_store.call([&plan](store::Database& db) { return store::replacePlan(db, plan); }));
    watched.plan = std::move(plan);
    return {};
}

// ---- what the site has decided

void CampaignActions::accept(WatchedCampaign& watched, const std::string& job)
{
    apply(watched, {campaign::Accepted{job}});
    complete(watched.launch, {});
}

void CampaignActions::refuse(WatchedCampaign& watched, const Error& error)
{
    apply(watched, {campaign::Refused{error, wallNs()}});
    complete(watched.launch, tl::unexpected(error));
}

void CampaignActions::postpone(WatchedCampaign& watched, Error error)
{
    error.hint = Words::tr("It is tried again by itself.");
    const bool isNews = watched.state.note != becauseOf(error);
    apply(watched, {campaign::Postponed{error, wallNs()}});
    watched.isFresh = true; // there is nothing else to be known of it
    if (isNews)             // the launch is answered once the site has decided
        m_sink.problem(error);
}

// ---- reading

/// The rest of the campaign comes by the latest request alone: where that fails, it is asked for again after a while.
void CampaignActions::follow(WatchedCampaign& watched, Purpose purpose, Completion<> done)
{
    const std::string lostPlan = watched.state.isGone ? planToJson(watched.plan) : std::string();
    RelayRequests::Request request{watched.plan.campaign, std::move(done), purpose};
    m_requests.replace(watched.follow, request);
    const auto sent = m_requests.follow(watched.files, std::move(request), lostPlan);
    watched.isFresh = watched.isRead = false;
    watched.readAgainNs = monotonicNs() + kReadPauseNs;
    watched.follow = sent.value_or(0);
    if (!sent)
        noteUnread(watched, sent.error());
}

void CampaignActions::noteUnread(WatchedCampaign& watched, const Error& error)
{
    if (!watched.unread || watched.unread->text() != error.text())
        m_sink.problem(error);
    watched.unread = error;
    watched.isFresh = true;
    apply(watched, {campaign::Unreadable{error, wallNs()}});
}

// ---- actions

/// Waits until it is written, “submitting” before anything is sent. No end while a later version has files to read.
void CampaignActions::act(WatchedCampaign& watched, const campaign::SaveStage& action)
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
    pauseChoosing();
    if (watched.stored == Stage::submitted && action.stage == Stage::submitting)
        watched.unread = kept.error();     // collecting fails with it
    if (action.stage == Stage::submitting) // it is chosen or succeeded again
        apply(watched, {campaign::Unsaved{watched.stored}});
}

bool CampaignActions::isSettled(WatchedCampaign& watched)
{
    const auto isOpen = [&] { return watched.stored != Stage::ended && !watched.files.hasNewer(); };
    if (isOpen() && mayChoose())
        act(watched, campaign::SaveStage{Stage::ended, {}});
    return !isOpen();
}

void CampaignActions::announceExperiment(const WatchedCampaign& watched)
{
    m_store.post([this, name = watched.plan.experiment](store::Database&) { m_store.announceExperiments({name}); });
}

void CampaignActions::act(WatchedCampaign&, const campaign::SaveRunCancelled& action)
{
    m_store.post([this, run = action.run](store::Database&) { m_store.announce({run}); });
}

void CampaignActions::act(WatchedCampaign& watched, const campaign::SaveContact& action)
{
    std::vector<RunId> runs;
    for (const auto& [id, run] : watched.state.runs)
        if (!isFinal(run.state))
            runs.push_back(id);
    m_store.post([this, id = watched.plan.campaign, action, runs](store::Database& db) {
        if (const auto kept = store::setContact(db, id, action.lostAt, action.note); !kept)
            m_sink.problem(kept.error());
        m_store.announce(runs);
    });
}

/// A job script names the folder of its campaign: below another root its job would fail at once.
std::optional<Error> CampaignActions::misplaced(const WatchedCampaign& watched) const
{
    const auto roots = watched.submission.script.empty() ? std::nullopt : m_requests.movedRoot(watched.plan);
    if (!roots)
        return std::nullopt;
    return Error{
        ErrorCode::unavailable,
        Words::tr("The job script of the campaign was made for the root {}, but the root of “{}” is {} now. Set "
                  "it back, or cancel the campaign and launch it again.",
                  roots->then.string(), watched.plan.site, roots->now.string()),
        {}};
}

void CampaignActions::act(WatchedCampaign& watched, const campaign::Submit&)
{
    if (const auto why = misplaced(watched))
        return postpone(watched, *why);
    auto stored = readCampaign(m_store, watched.plan.campaign);
    if (!stored)
        return postpone(watched, stored.error());
    if (const auto asked = m_requests.submit(watched, std::move(stored->row.planJson)); !asked)
        refuse(watched, asked.error());
}

void CampaignActions::act(WatchedCampaign& watched, const campaign::AskStatus&)
{
    m_requests.askStatus(watched.plan.campaign, Purpose::reading);
}

void CampaignActions::act(WatchedCampaign& watched, const Control& control)
{
    m_requests.control(watched.plan.campaign, control, m_command ? m_command->part() : Completion<>());
}

} // namespace ringside
