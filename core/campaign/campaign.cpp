// SPDX-License-Identifier: MIT
#include "core/campaign/campaign.h"

#include "core/campaign/endings.h"

#include <algorithm>
#include <utility>

namespace ringside::campaign {

namespace {

/// Cancels one whose runs were cancelled one by one, since its job would wait for nothing. Returns whether it did.
bool cancelIfEmptied(State& state, Actions& actions)
{
    const bool wasAsked = std::ranges::any_of(state.runs, [](const auto& run) { return run.second.cancelAsked; });
    if (state.cancelled || !wasAsked || !isAllCancelled(state) || hasOpenAttempt(state))
        return false;
    state.cancelled = true;
    actions.push_back(SaveCancelled{});
    return true;
}

/// All that was asked for without contact, or whose answer was lost: the site may still hold what has been continued.
void sendPendingControls(State& state, Actions& actions)
{
    state.ordersOpen = false;
    state.orderPause = 0;
    cancelIfEmptied(state, actions);
    const Control::Kind all = state.cancelled ? Control::Kind::cancel
                              : state.held    ? Control::Kind::hold
                                              : Control::Kind::proceed;
    actions.push_back(Control{all, {}});
    for (const auto& [id, run] : state.runs)
        if (run.cancelAsked && !state.cancelled && (!isFinal(run.state) || run.state == RunState::cancelled))
            actions.push_back(Control{Control::Kind::cancelRun, id});
}

void follow(State& state, Actions& actions)
{
    actions.push_back(Follow{});
    sendPendingControls(state, actions);
}

void control(const State& state, Actions& actions, Control::Kind kind, const RunId& run = {})
{
    if (state.connected && state.stage == Stage::submitted)
        actions.push_back(Control{kind, run});
}

void keepContact(State& state, Actions& actions, std::optional<std::int64_t> lostAt, const Reason& note = {})
{
    state.isUnread = false;
    if (state.contactLostAt == lostAt && state.note == note)
        return;
    state.contactLostAt = lostAt;
    state.note = note;
    actions.push_back(SaveContact{lostAt, note});
}

/// One that is to be cancelled is not begun, though the site may have it: an earlier answer may have been lost.
void submit(State& state, Actions& actions)
{
    cancelIfEmptied(state, actions);
    if (state.cancelled)
        actions.push_back(Control{Control::Kind::cancel, {}});
    else
        actions.push_back(Submit{});
}

/// The site does not find the campaign. Its runs' folders may be there all the same: they are read before it ends.
void readLeftovers(State& state, Actions& actions)
{
    if (std::exchange(state.isGone, true))
        return;
    state.inDoubt = false; // until they are read
    state.ordersOpen = true;
    actions.push_back(Follow{});
}

void succeed(State& state, Actions& actions)
{
    enter(state, actions, Stage::submitting);
    actions.push_back(Submit{});
}

/// Ranks without a runner may still write for a while: returns whether the campaign is to be looked at again.
bool looksAgain(State& state)
{
    if (!hasOpenAttempt(state) || state.lastLooks == kLastLooks)
        return false;
    ++state.lastLooks;
    state.inDoubt = true;
    return true;
}

/// Each of its runners died.
void giveUp(State& state, Actions& actions, const Reported& event)
{
    if (looksAgain(state))
        return;
    const bool saysNoMore = event.reason.empty() || event.reason.code == why::kNoRunner;
    const Reason known = state.fullDisk.empty() ? because(why::kRunnerLost) : state.fullDisk;
    endRuns(state, actions, RunState::failed, Cause::runnerLost, saysNoMore ? known : event.reason, event.atNs);
    enter(state, actions, Stage::ended);
}

/// After the last look: its ranks may still write.
void endCancelled(State& state, Actions& actions, std::int64_t atNs)
{
    if (!looksAgain(state))
        endHere(state, actions, atNs);
}

/// They were not found once more, after what the runs left was read.
void giveUpFiles(State& state, Actions& actions, std::int64_t atNs)
{
    if (!looksAgain(state))
        endWithoutFiles(state, actions, atNs);
}

/// The runner is gone without saying that the campaign is over. A campaign that a person ended, be it run by run, is
/// not begun again, nor one that would end in the same way; a job that gave way to others is not to blame, however
/// often it did.
void onRunnerLost(State& state, Actions& actions, const Reported& event)
{
    if (state.cancelled)
        return endCancelled(state, actions, event.atNs);
    if (event.jobState == JobState::cancelled) {
        endRuns(state, actions, RunState::cancelled, Cause::cancelled, event.reason, event.atNs);
        return enter(state, actions, Stage::ended);
    }
    if (event.jobState == JobState::outOfMemory)
        return endForMemory(state, actions, event);
    if (event.jobState == JobState::timeout) {
        endRuns(state, actions, RunState::failed, Cause::timeLimit, event.reason, event.atNs);
        return enter(state, actions, Stage::ended);
    }
    if (isAllCancelled(state))
        return endCancelled(state, actions, event.atNs);
    if (state.held) {
        state.inDoubt = true; // a successor would only wait, on nodes of its own: ask again until it is continued
        return;
    }
    if (event.jobState == JobState::preempted)
        return succeed(state, actions);
    if (state.successors == kMaxSuccessors)
        return giveUp(state, actions, event);
    ++state.successors;
    succeed(state, actions);
}

void on(State& state, Actions& actions, const Chosen& event)
{
    if (state.stage != Stage::waiting)
        return;
    if (state.cancelled)
        return endHere(state, actions, event.atNs);
    if (state.held)
        return;
    if (allEnded(state))
        return enter(state, actions, Stage::ended);
    enter(state, actions, Stage::submitting);
    if (state.connected)
        actions.push_back(Submit{});
}

void on(State& state, Actions& actions, const Connected&)
{
    state.connected = true;
    state.postponed = state.postponements = 0;
    if (state.stage == Stage::submitting)
        submit(state, actions);
    if (state.stage != Stage::submitted)
        return;
    state.ordersOpen = true;
    actions.push_back(AskStatus{}); // its state is known once that is answered
}

void on(State& state, Actions& actions, const Disconnected& event)
{
    state.connected = false;
    state.inDoubt = state.isGone = false; // this line said so; the next one has to follow before it is asked
    if (isHandedOver(state.stage) && !state.contactLostAt)
        keepContact(state, actions, event.atNs);
}

void on(State& state, Actions& actions, const Accepted& event)
{
    if (state.stage != Stage::submitting)
        return;
    state.postponements = 0;
    enter(state, actions, Stage::submitted, event.job);
    keepContact(state, actions, std::nullopt);
    follow(state, actions);
}

void on(State& state, Actions& actions, const Refused& event)
{
    if (state.stage != Stage::submitting)
        return;
    if (state.cancelled)
        return endHere(state, actions, event.atNs);
    endRuns(state, actions, RunState::failed, Cause::launch, becauseOf(event.error), event.atNs);
    enter(state, actions, Stage::ended);
}

/// The launch is not over: the job may exist already, and would run unwatched.
void on(State& state, Actions& actions, const Postponed& event)
{
    if (state.stage != Stage::submitting)
        return;
    const int doublings = std::min(state.postponements++, 30);
    state.postponed = std::min(kPostponedTicks << doublings, kMostPostponedTicks);
    const bool isNewsLost = !state.contactLostAt && hasOpenAttempt(state);
    keepContact(state, actions, isNewsLost ? event.atNs : state.contactLostAt, becauseOf(event.error));
}

/// Contact with the scheduler is as good as contact with the site.
void keepContact(State& state, Actions& actions, const Reported& event)
{
    using Standing = Reported::Standing;
    if (event.standing == Standing::silent)
        keepContact(state, actions, event.knownAtNs, event.reason);
    else
        keepContact(state, actions, std::nullopt, event.standing == Standing::alive ? event.reason : Reason());
}

void on(State& state, Actions& actions, const Reported& event)
{
    if (state.stage != Stage::submitted)
        return;
    keepContact(state, actions, event);
    const bool doubted = std::exchange(state.inDoubt, false);
    // The journal's last line may have been read in an earlier life of this program. Nothing is lost by taking the
    // site's word for it: the campaign ends only when the Follow that is asked for now has caught up.
    state.runnerEnded = state.runnerEnded || event.standing == Reported::Standing::ended;
    if (event.standing == Reported::Standing::unknown)
        return doubted && state.isGone ? giveUpFiles(state, actions, event.atNs) : readLeftovers(state, actions);
    const bool wasGone = std::exchange(state.isGone, false);
    if (doubted && event.standing == Reported::Standing::lost)
        return onRunnerLost(state, actions, event);
    const bool isOpen = event.standing == Reported::Standing::alive || event.standing == Reported::Standing::silent;
    state.inDoubt = doubted && isOpen; // it waits for its turn, or only starts: ask again later
    if (!state.inDoubt)
        follow(state, actions);
    else if (wasGone)
        sendPendingControls(state, actions);
}

/// A runner that goes on and a job that waits bring about no event that would send it again.
void repeatRefusedOrders(State& state, Actions& actions)
{
    const bool isDue = state.orderPause > 0 && --state.orderPause == 0;
    if (isDue && state.ordersOpen && !state.isGone && state.stage == Stage::submitted)
        sendPendingControls(state, actions);
}

void on(State& state, Actions& actions, const Ticked&)
{
    if (state.connected)
        repeatRefusedOrders(state, actions);
    const bool isPostponed = state.postponed > 0;
    if (!state.connected || (isPostponed && --state.postponed > 0))
        return;
    if (state.inDoubt && state.stage == Stage::submitted)
        actions.push_back(AskStatus{});
    if (isPostponed && state.stage == Stage::submitting)
        submit(state, actions);
}

/// It is held as was asked for last, not as the runner has seen of it so far.
void noteWaiting(State& state, Actions& actions, const JournalEvent& event)
{
    if (event.kind != JournalKind::attemptEnded)
        keepContact(state, actions, state.contactLostAt, event.kind == JournalKind::waits ? event.reason : Reason());
}

void on(State& state, Actions& actions, const Journalled& journalled)
{
    const JournalEvent& event = journalled.event;
    noteWaiting(state, actions, event);
    if (event.kind == JournalKind::runnerStarted || event.kind == JournalKind::runnerEnded)
        state.runnerEnded = event.kind == JournalKind::runnerEnded;
    if (event.kind == JournalKind::attemptStarted && event.run)
        change(state, actions,
               {*event.run, event.attempt, RunState::starting, Cause::none, {}, std::nullopt, event.wallNs});
    if (event.kind == JournalKind::attemptEnded)
        state.fullDisk = event.reason.code == why::kNoSpace ? event.reason : Reason();
    if (event.kind == JournalKind::attemptEnded && event.run)
        change(state, actions,
               {*event.run, event.attempt, event.state, event.cause, event.reason, event.rank, event.wallNs});
}

void on(State& state, Actions& actions, const SamplesSeen& event)
{
    change(state, actions, {event.run, event.attempt, RunState::running, Cause::none, {}, std::nullopt, event.atNs});
}

/// A run that was to be cancelled and has not begun is over as far as is known, once the site is to know of it. Had it
/// begun since, the journal would say so.
void settleOrders(State& state, Actions& actions, std::int64_t atNs)
{
    if (state.isGone)
        return;
    if (state.ordersOpen)
        sendPendingControls(state, actions);
    for (const auto& [id, run] : state.runs)
        if (run.cancelAsked && isWaiting(run))
            endRun(state, actions, id, RunState::cancelled, Cause::cancelled, because(why::kCancelled), atNs);
}

/// A campaign whose files were not found is asked about with the next tick: a network file system may lose sight of a
/// folder for a moment.
void on(State& state, Actions& actions, const CaughtUp& event)
{
    if (state.stage != Stage::submitted)
        return;
    state.isGone = state.isGone && !event.runnerAlive;
    state.inDoubt = !event.runnerAlive && !state.runnerEnded;
    state.lastLooks = event.runnerAlive ? 0 : state.lastLooks;
    if (!state.inDoubt) // what its site said last, as that it waits for its turn, is true until the journal says more
        keepContact(state, actions, std::nullopt, state.contactLostAt || state.isUnread ? Reason() : state.note);
    if (state.inDoubt && !state.isGone)
        actions.push_back(AskStatus{});
    if (event.runnerAlive || !state.runnerEnded)
        return settleOrders(state, actions, event.atNs);
    if (state.cancelled)
        return endHere(state, actions, event.atNs);
    for (const auto& [id, run] : state.runs)
        if (isWaiting(run) && run.attempt > 0 && run.cause == Cause::timeLimit) // it did not fit, and would not again
            endRun(state, actions, id, RunState::failed, Cause::timeLimit, because(why::kTimeLimit), event.atNs);
    endRuns(state, actions, RunState::failed, Cause::timeLimit, because(why::kCampaignEnded), event.atNs);
    enter(state, actions, Stage::ended);
}

bool isForGood(ErrorCode code)
{
    return code == ErrorCode::damaged || code == ErrorCode::newerVersion || code == ErrorCode::unavailable;
}

/// Cancelled runs are not waited for once the site ends them: their journal may never be read again.
void on(State& state, Actions& actions, const Unreadable& event)
{
    if (state.stage != Stage::submitted)
        return;
    const bool isGone = event.error.code == ErrorCode::notFound;
    if (isGone && !state.isGone)
        return readLeftovers(state, actions);
    const bool isOver = state.cancelled && (state.cancelAccepted || isForGood(event.error.code));
    if (isOver || isGone)
        return endWithoutFiles(state, actions, event.atNs);
    state.isGone = false; // they may be there
    keepContact(state, actions, state.contactLostAt, becauseOf(event.error));
    state.isUnread = true;
}

void setHeld(State& state, Actions& actions, bool held)
{
    if (state.stage == Stage::ended)
        return;
    if (state.held != held)
        actions.push_back(SaveHeld{held});
    state.held = held;
    control(state, actions, held ? Control::Kind::hold : Control::Kind::proceed);
}

void cancelAll(State& state, Actions& actions, std::int64_t atNs)
{
    if (state.stage == Stage::ended)
        return;
    if (!state.cancelled)
        actions.push_back(SaveCancelled{});
    state.cancelled = true;
    if (state.stage == Stage::waiting)
        return endHere(state, actions, atNs);
    control(state, actions, Control::Kind::cancel);
}

void cancelRun(State& state, Actions& actions, const RunId& id, std::int64_t atNs)
{
    const auto run = state.runs.find(id);
    if (run == state.runs.end() || isFinal(run->second.state))
        return;
    if (!std::exchange(run->second.cancelAsked, true))
        actions.push_back(SaveRunCancelled{id});
    if (isHandedOver(state.stage))
        control(state, actions, Control::Kind::cancelRun, id);
    // One that has not begun is over as far as is known; had it begun just now, the journal would say so.
    const bool told = state.stage == Stage::waiting || (state.connected && state.stage == Stage::submitted);
    if (!told || !isWaiting(run->second))
        return;
    endRun(state, actions, id, RunState::cancelled, Cause::cancelled, because(why::kCancelled), atNs);
    if (state.stage == Stage::waiting && allEnded(state))
        enter(state, actions, Stage::ended);
}

/// Follows the orders to cancel the runs of a campaign that was handed over.
void withdrawIfEmptied(State& state, Actions& actions)
{
    if (state.stage == Stage::submitted && cancelIfEmptied(state, actions))
        control(state, actions, Control::Kind::cancel);
}

void cancelWaiting(State& state, Actions& actions, std::int64_t atNs)
{
    for (const auto& [id, run] : state.runs)
        if (isWaiting(run))
            cancelRun(state, actions, id, atNs);
}

void on(State& state, Actions& actions, const Asked& event)
{
    state.postponed = std::min(state.postponed, kPostponedTicks); // it concerns a submission, too
    switch (event.control.kind) {
    case Control::Kind::hold:
    case Control::Kind::proceed:
        return setHeld(state, actions, event.control.kind == Control::Kind::hold);
    case Control::Kind::cancel:
        return cancelAll(state, actions, event.atNs);
    case Control::Kind::cancelRun:
        cancelRun(state, actions, event.control.run, event.atNs);
        return withdrawIfEmptied(state, actions);
    case Control::Kind::cancelWaiting:
        cancelWaiting(state, actions, event.atNs);
        return withdrawIfEmptied(state, actions);
    }
}

/// A campaign that was cancelled before its submission was answered is there if the site takes the cancel: then what it
/// left is read to its end.
void on(State& state, Actions& actions, const Answered& event)
{
    if (!event.accepted) {
        state.ordersOpen = true;
        state.orderPause = kRefusedOrderTicks;
    } else if (event.order == Control::Kind::cancel) {
        state.cancelAccepted = true;
    }
    if (state.stage != Stage::submitting || !state.cancelled || !state.cancelAccepted)
        return;
    enter(state, actions, Stage::submitted);
    keepContact(state, actions, std::nullopt);
    actions.push_back(Follow{});
}

/// A dead runner whose successor could not be written down has had none, and is asked about again after a while.
void on(State& state, Actions&, const Unsaved& event)
{
    const bool isSuccession = event.stage == Stage::submitted && state.stage == Stage::submitting;
    state.stage = event.stage;
    if (!isSuccession)
        return;
    state.successors = std::max(0, state.successors - 1);
    state.inDoubt = true;
    state.postponed = kPostponedTicks;
}

} // namespace

std::vector<Action> step(State& state, const Event& event)
{
    Actions actions;
    std::visit([&](const auto& happened) { on(state, actions, happened); }, event);
    return actions;
}

} // namespace ringside::campaign
