// SPDX-License-Identifier: MIT
// The reason why a run ended as it did or waits, or why something stays on a site: a code and its arguments, so that
// programs can distinguish reasons and each person reads them in their own language. Sentences are made where they are
// shown: core/jobs/reasons. In the journal, on the wire and in the store a reason is one JSON object (PROTOCOL.md,
// Reasons).
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ringside {

struct Reason
{
    using Argument = std::variant<std::int64_t, std::string>;

    std::string code; ///< one of `why`, or of a later version; empty: `text` is all that is known
    std::map<std::string, Argument, std::less<>> about = {};
    std::string text = {}; ///< of an error, in its maker's language, or of a version that knew no codes

    bool empty() const { return code.empty() && text.empty(); }
    /// Returns an argument; if it is absent or of the other type: nullopt, and an empty text.
    std::optional<std::int64_t> number(std::string_view argument) const;
    std::string word(std::string_view argument) const;
    /// An empty text says nothing and is left out.
    void add(std::string_view argument, Argument value);

    bool operator==(const Reason&) const = default;
};

/// because(why::kSilent, {{"rank", 3}, {"host", "n7"}, {"seconds", 30}})
Reason because(std::string_view code, std::initializer_list<std::pair<std::string_view, Reason::Argument>> about = {});
Reason becauseOf(const Error& error);

/// As Result, for a failure that is stored, and put into words where it is shown.
template <class T> using OrReason = tl::expected<T, Reason>;

/// Texts longer than 2,000 bytes are cut, and 4,000 are all that there is room for.
nlohmann::json toJson(const Reason& reason);
/// Fails with damaged for what is no reason; members that only a later version knows are left out.
Result<Reason> reasonFromJson(const nlohmann::json& json);
/// The same as one line; empty for an empty reason. Whatever is read back that is no JSON of a reason is its text.
std::string toText(const Reason& reason);
Reason reasonFromText(std::string_view text);

/// Codes. The arguments that each is about are named behind it; `rank` is the number of a process, with `role` and
/// `number` (among those of its role) where it is not one that trains, `host` where it is known, `ranks_per_process`
/// where a process is several of them, and, where which ended first is not known, `others` (the first of the other
/// ranks: "4, 7", "8-11, 20-23") with `others_count`, and `other_roles` ("server 0, server 1").
namespace why {

// ---- an attempt ended: by one of its processes
inline constexpr std::string_view kExit = "exit"; ///< rank, program, exit_code, means: of a system, said: its last line
inline constexpr std::string_view kSignal = "signal"; ///< rank, signal; source "unknown": from outside
inline constexpr std::string_view kOutOfMemory =
    "out_of_memory";                                          ///< rank, batch, peak_bytes, largest_batch (0: none fits)
inline constexpr std::string_view kStopped = "stopped";       ///< rank; by a signal, and it did not go on
inline constexpr std::string_view kToldToEnd = "told_to_end"; ///< rank; from outside
inline constexpr std::string_view kEndedOutside = "ended_outside"; ///< rank; with its guard
inline constexpr std::string_view kNoRecord = "no_record";         ///< rank, said
inline constexpr std::string_view kSilent = "silent";              ///< rank, seconds
inline constexpr std::string_view kHung = "hung";                  ///< rank, seconds, phase
inline constexpr std::string_view kNoIterations = "no_iterations"; ///< program; it ended well, and reported none
/// program, told, ranks: some ranks printed nothing, and it is not known that what others printed is of all
inline constexpr std::string_view kRanksUntold = "ranks_untold";
/// program, iterations, asked: by the numbers in its own records; cut_records (1): the last of them broke off
inline constexpr std::string_view kEndedEarly = "ended_early";
/// program, iterations, asked, processes: that had gone on without their ranks
inline constexpr std::string_view kWentOn = "went_on";
inline constexpr std::string_view kAllHung = "all_hung";        ///< seconds; ranks wait for each other
inline constexpr std::string_view kNotANumber = "not_a_number"; ///< said
inline constexpr std::string_view kLauncher = "launcher";       ///< launcher, signal
/// exit_code: of its launcher, absent where that was not started either; said
inline constexpr std::string_view kNotStarted = "not_started";

// ---- none of its processes was started; launchers go by their names in core/jobs/launchers
inline constexpr std::string_view kTooFewNodes = "too_few_nodes";             ///< needed, nodes, in_job (1)
inline constexpr std::string_view kTooFewOpenFiles = "too_few_open_files";    ///< ranks, needed, limit
inline constexpr std::string_view kNoSpace = "no_space";                      ///< folder
inline constexpr std::string_view kNoWorker = "no_worker";                    ///< program: its path
inline constexpr std::string_view kNoAgent = "no_agent";                      ///< program: its path
inline constexpr std::string_view kNoLaunchPrefix = "no_launch_prefix";       ///< program
inline constexpr std::string_view kNoLauncher = "no_launcher";                ///< launcher, program, ranks
inline constexpr std::string_view kUnknownLauncher = "unknown_launcher";      ///< launcher: the plan's word
inline constexpr std::string_view kStartedWithoutMpi = "started_without_mpi"; ///< program, launcher, usual: that has it
inline constexpr std::string_view kRoleNotPlaced = "role_not_placed";         ///< launcher, role

// ---- a process of a system was not started, or was ended, by its guard; each with its rank, as above. kNoSpace, too
inline constexpr std::string_view kNoInterface = "no_interface"; ///< interface: that its host lacks
inline constexpr std::string_view kNoAddress = "no_address";     ///< of its host, for others to reach it by
inline constexpr std::string_view kNoFreePort = "no_free_port";  ///< tried: so many
inline constexpr std::string_view kNotMet = "not_met";         ///< process, processes, seconds: that it waited for one
inline constexpr std::string_view kOtherRanks = "other_ranks"; ///< told, ranks: by its driver, and of the run
inline constexpr std::string_view kOtherBatch = "other_batch"; ///< told, asked: per rank
inline constexpr std::string_view kOtherModel = "other_model"; ///< told, parameters; model: that is asked for
inline constexpr std::string_view kForeignRank = "foreign_rank";     ///< started; first, last: that are its own
inline constexpr std::string_view kTwiceReported = "twice_reported"; ///< started: besides one that reported for all
inline constexpr std::string_view kRanksMissing = "ranks_missing";   ///< began, ranks: of its own

// ---- by its runner
inline constexpr std::string_view kCancelled = "cancelled";
inline constexpr std::string_view kCancelledBefore = "cancelled_before";  ///< it began
inline constexpr std::string_view kRunnerTold = "runner_told";            ///< to end; the run begins again
inline constexpr std::string_view kTimeLimit = "time_limit";              ///< of the job
inline constexpr std::string_view kRunnerDied = "runner_died";            ///< the run begins again
inline constexpr std::string_view kRunnerDiedOften = "runner_died_often"; ///< attempts
inline constexpr std::string_view kError = "error";                       ///< the text says which

// ---- by its campaign
inline constexpr std::string_view kFilesGone = "files_gone";         ///< the site has lost the campaign
inline constexpr std::string_view kCampaignEnded = "campaign_ended"; ///< before this run
inline constexpr std::string_view kRunnerLost = "runner_lost";       ///< for good

// ---- what waits, or a campaign's state on its site
inline constexpr std::string_view kHeld = "held";
inline constexpr std::string_view kBusy = "busy";                        ///< holder, held (1); whose runner is at work
inline constexpr std::string_view kTimeUp = "time_up";                   ///< what did not fit was not begun
inline constexpr std::string_view kNotSubmitted = "not_submitted";       ///< yet
inline constexpr std::string_view kSubmitByHand = "submit_by_hand";      ///< command
inline constexpr std::string_view kNotStartedYet = "not_started_yet";    ///< its runner
inline constexpr std::string_view kRunnerElsewhere = "runner_elsewhere"; ///< on another machine
inline constexpr std::string_view kNoRunner = "no_runner";               ///< it died
inline constexpr std::string_view kRootBlank = "root_blank";             ///< the site's root holds no campaigns
inline constexpr std::string_view kSchedulerSilent = "scheduler_silent"; ///< scheduler, said
/// scheduler, job, word: the scheduler's own; state: of JobState; starts_ns: wall clock, when it is expected to.
inline constexpr std::string_view kJob = "job";

// ---- what a run waits for, as the store knows
inline constexpr std::string_view kBeingCancelled = "being_cancelled"; ///< as soon as its site knows
inline constexpr std::string_view kExperimentHeld = "experiment_held"; ///< until it is continued
inline constexpr std::string_view kOtherCampaign = "other_campaign";   ///< experiment, held (1)
inline constexpr std::string_view kHandover = "handover";              ///< to its site
inline constexpr std::string_view kConfirmation = "confirmation";      ///< of the launch by its site
inline constexpr std::string_view kHandSubmission = "hand_submission"; ///< as far as is known
inline constexpr std::string_view kContact = "contact";                ///< with its site
inline constexpr std::string_view kTurn = "turn";                      ///< one run after the other

// ---- something stays on its site when that is cleaned up
inline constexpr std::string_view kKeptRuns = "kept_runs";             ///< a campaign whose runner may live
inline constexpr std::string_view kKeptWaits = "kept_waits";           ///< a campaign whose job is yet to begin
inline constexpr std::string_view kKeptByHand = "kept_by_hand";        ///< a campaign that a person is yet to submit
inline constexpr std::string_view kKeptUnread = "kept_unread";         ///< said; a campaign that may not be over
inline constexpr std::string_view kNotEnded = "not_ended";             ///< its campaign, as far as the store knows
inline constexpr std::string_view kProgramRuns = "program_runs";       ///< on the machine of the relay
inline constexpr std::string_view kBeingBuilt = "being_built";         ///< a worker
inline constexpr std::string_view kBeingInstalled = "being_installed"; ///< a system
inline constexpr std::string_view kNeededBy = "needed_by";             ///< campaign, experiment
inline constexpr std::string_view kMayNeed = "may_need";     ///< campaign, experiment: none, if it cannot be read
inline constexpr std::string_view kBuiltWith = "built_with"; ///< worker; a torch
inline constexpr std::string_view kOtherStore = "other_store";
inline constexpr std::string_view kNotRingsides = "not_ringsides";
inline constexpr std::string_view kNotSeen = "not_seen";       ///< said
inline constexpr std::string_view kNotDeleted = "not_deleted"; ///< said

// ---- the store lacks files of it, or may; `run` is the run of a campaign that has them, else absent
inline constexpr std::string_view kNotStored = "not_stored";                ///< file, stored_bytes, bytes
inline constexpr std::string_view kJournalNotStored = "journal_not_stored"; ///< to its end
inline constexpr std::string_view kNotChecked = "not_checked";              ///< file, said
inline constexpr std::string_view kNotRead = "not_read";                    ///< said; its folder

} // namespace why

/// True for what runs wait for in the ordinary course of a campaign: no news to those who have just launched.
bool isOrdinaryWait(const Reason& reason);

} // namespace ringside
