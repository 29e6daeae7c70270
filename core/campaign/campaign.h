// SPDX-License-Identifier: MIT
// A campaign as a pure state machine: step(state, event) changes the state and says what is to be done. No I/O, no
// clock, no threads. Events may come twice and in any order that a lost connection can make of them; a replay does
// nothing.
#pragma once

#include "core/base/error.h"
#include "core/campaign/runchange.h"
#include "core/campaign/stage.h"
#include "core/protocol/control.h"
#include "core/protocol/jobstate.h"
#include "core/protocol/journal.h"
#include "core/protocol/reason.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside::campaign {

/// Ticks (a second or so each) until a submission that the site could not accept, or that could not be written down, is
/// tried again. Each further time it is twice as long, up to the latter: a limit of queued jobs may last for days, and
/// hundreds of campaigns may meet it.
inline constexpr int kPostponedTicks = 5, kMostPostponedTicks = 160;

/// Ticks until an order that the site refused, as for want of room, is sent again.
inline constexpr int kRefusedOrderTicks = 10;

/// Limit of how often a campaign whose runner died is handed over again before its runs count as lost. The site starts
/// a successor only if the runner is provably dead; a runner that dies at once every time must not be started for ever.
inline constexpr int kMaxSuccessors = 3;

/// Times (a second or so apart) that a dead runner without a further successor, or what a campaign without files left,
/// is looked at before an attempt that has no end counts as over: its guards notice the runner's death within 10 s and
/// end the ranks within 8 s more (guard.cpp), and what they write meanwhile is read.
inline constexpr int kLastLooks = 30;

struct RunProgress
{
    RunState state = RunState::queued;
    int attempt = 0;
    Cause cause = Cause::none;
    bool cancelAsked = false; ///< written down; the site receives it with every contact, until the run has ended there
    bool operator==(const RunProgress&) const = default;
};

struct State
{
    Stage stage = Stage::waiting;
    bool connected = false;
    std::optional<std::int64_t> contactLostAt; ///< wall clock, ns: nothing has been known of it since
    Reason note = {};                          ///< what its site says of it while it waits, or why nothing is known
    bool isUnread = false;                     ///< the note says why its files could not be read
    bool held = false;                         ///< asked for
    bool cancelled = false;                    ///< asked for
    bool cancelAccepted = false;               ///< by the site, which ends everything
    bool ordersOpen = false;  ///< the site may not know what was asked for: sent again once its files can be read
    int orderPause = 0;       ///< ticks until what it refused of that is sent again all the same
    bool runnerEnded = false; ///< the journal, or the site that has read it, says that the campaign is over
    bool inDoubt = false;     ///< no runner was seen although the campaign is not over: the site is asked
    bool isGone = false;      ///< the site does not find its files: what its runs left there is read, then it is asked
                              ///< once more, or until the last look, and only then the campaign ends
    int successors = 0;       ///< times that a dead runner was succeeded in this program's life
    int lastLooks = 0;        ///< at what ranks still write whose runner is dead and not succeeded
    Reason fullDisk = {};     ///< why the latest attempt ended, if for want of room: the runner ends with it
    int postponed = 0;        ///< ticks until it is submitted again, or asked about
    int postponements = 0;    ///< of its submission in a row, without contact being lost between them
    std::map<RunId, RunProgress> runs;
    bool operator==(const State&) const = default;
};

// ---- what can happen

/// The site is free for this campaign; or it was cancelled, and its end could not be written down then.
struct Chosen
{
    std::int64_t atNs = 0;
};
/// The site answers.
struct Connected
{
};
/// The site does not answer any more.
struct Disconnected
{
    std::int64_t atNs = 0;
};
/// It has the campaign; `job` is its name there.
struct Accepted
{
    std::string job;
};
/// It refuses the campaign for good; or it has no campaign to cancel.
struct Refused
{
    Error error;
    std::int64_t atNs = 0;
};
/// It cannot accept the campaign now, as when its scheduler does not answer; perhaps it has it already.
struct Postponed
{
    Error error;
    std::int64_t atNs = 0;
};
/// State of the campaign as the site reports it.
struct Reported
{
    enum class Standing
    {
        unknown, ///< it has no folder for it
        alive,   ///< queued, starting or running there
        silent,  ///< its scheduler does not answer, and nothing was written lately
        ended,
        lost, ///< its runner is provably dead, and the campaign is not over
    };
    Standing standing = Standing::alive;
    std::int64_t atNs = 0;
    Reason reason = {};                    ///< its state, or why it ended
    JobState jobState = JobState::unknown; ///< of the scheduler's job, as far as there is one
    std::int64_t knownAtNs = 0;            ///< with silent: until when something was known
};
/// Some time has gone by (a second or so).
struct Ticked
{
};
/// A line of the journal.
struct Journalled
{
    JournalEvent event;
};
/// Samples of an attempt are there, whether the journal has spoken of it or not.
struct SamplesSeen
{
    RunId run;
    int attempt = 1;
    std::int64_t atNs = 0;
};
/// Everything that the campaign left so far has been read; whether its runner lives.
struct CaughtUp
{
    bool runnerAlive = false;
    std::int64_t atNs = 0;
};
/// The campaign's files cannot be read; they are looked at again. notFound: the site has lost it; what its runs left
/// there is asked for once. damaged, newerVersion; unavailable: they lie where the site does not look any more. With
/// these three looking again changes nothing by itself, and a cancelled campaign ends.
struct Unreadable
{
    Error error;
    std::int64_t atNs = 0;
};
struct Asked
{
    Control control;
    std::int64_t atNs = 0;
};
/// The site has answered an order.
struct Answered
{
    Control::Kind order = Control::Kind::hold;
    bool accepted = false; ///< written down there
};
/// A stage could not be written down: this one is, and nothing may be done that follows from another.
struct Unsaved
{
    Stage stage = Stage::waiting;
};

using Event = std::variant<Chosen, Connected, Disconnected, Accepted, Refused, Postponed, Reported, Ticked, Journalled,
                           SamplesSeen, CaughtUp, Unreadable, Asked, Answered, Unsaved>;

// ---- what is to be done, in this order

/// Write down the stage before anything that follows is done.
struct SaveStage
{
    Stage stage = Stage::waiting;
    std::string job;
    bool operator==(const SaveStage&) const = default;
};
struct SaveRun
{
    RunChange change;
    bool operator==(const SaveRun&) const = default;
};
/// SaveHeld, SaveCancelled, SaveRunCancelled: an order is written down before the changed state counts. Where that
/// fails, the state is to stay as it was, so that the order, sent again, is written down then.
struct SaveHeld
{
    bool held = false;
    bool operator==(const SaveHeld&) const = default;
};
struct SaveCancelled
{
    bool operator==(const SaveCancelled&) const = default;
};
/// A run that is asked to be cancelled is so whatever becomes of this program.
struct SaveRunCancelled
{
    RunId run;
    bool operator==(const SaveRunCancelled&) const = default;
};
struct SaveContact
{
    std::optional<std::int64_t> lostAt; ///< nullopt: the campaign's state is known
    Reason note = {};
    bool operator==(const SaveContact&) const = default;
};
/// Hand the plan to the site; harmless when it has it. In its place one that is cancelled meanwhile is to be cancelled
/// there: the answer is Answered, Refused if the site does not have it, or Postponed.
struct Submit
{
    bool operator==(const Submit&) const = default;
};
struct AskStatus
{
    bool operator==(const AskStatus&) const = default;
};
/// Have the site send what is new, from the stored cursors on. Where a campaign's files are gone that is what its runs
/// left there, and the site needs their names for it.
struct Follow
{
    bool operator==(const Follow&) const = default;
};
/// Control: to be handed on to the site, cancelWaiting as one cancelRun a run.
using Action = std::variant<SaveStage, SaveRun, SaveHeld, SaveCancelled, SaveRunCancelled, SaveContact, Submit,
                            AskStatus, Follow, Control>;

/// Applies the event. An event that does not fit the state changes nothing and asks for nothing.
std::vector<Action> step(State& state, const Event& event);

} // namespace ringside::campaign
