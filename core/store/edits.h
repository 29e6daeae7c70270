// SPDX-License-Identifier: MIT
// Changes that people or the conductor ask for, each one transaction on the writable connection. A change that is
// answered as done is flushed to disk before these return. Blocking.
#pragma once

#include "core/protocol/plan.h"
#include "core/store/database.h"
#include "core/store/rows.h"

#include <string>
#include <vector>

namespace ringside::store {

/// One cell of an experiment's present matrix.
struct Cell
{
    std::string configurationKey;
    Settings settings;
    AggregationPlan plan;
};

/// An experiment as it is to be stored.
struct ExperimentEdit
{
    std::string name;
    std::string question;
    std::string site;
    int repeats = 1;
    std::string toml;        ///< becomes a revision unless it equals the latest one
    std::vector<Cell> cells; ///< the present matrix; runs of other cells stay stored
};

Result<void> saveExperiment(Database& db, const ExperimentEdit& edit);
/// notFound if there is no such experiment.
Result<void> setStarred(Database& db, const std::string& experiment, bool starred);
Result<void> setArchived(Database& db, const std::string& experiment, bool archived);
/// Puts on disk what was committed so far, samples among it, which are committed without waiting for the disk. To be
/// called before a site is permitted to remove its copy.
Result<void> flushToDisk(Database& db);

/// Deletes its runs and samples, too.
Result<void> deleteExperiment(Database& db, const std::string& experiment);

/// Stores campaigns, each with its submission, and their runs, in state waiting, and before them what changes of their
/// experiment: all of it or nothing. Runs that are new get a row and a number, the others go back to queued (or
/// requeued, after an attempt). Writes the numbers, and how many attempts are known of each, into `plans`. Fails with
/// usage for a plan that is too long to be handed over.
Result<void> addCampaigns(Database& db, std::vector<CampaignPlan>& plans, const std::vector<Submission>& submissions,
                          const std::optional<ExperimentEdit>& edit = {});

/// The plan of a campaign that waits, less what has been cancelled since. Once submitted a plan does not change.
Result<void> replacePlan(Database& db, const CampaignPlan& plan);

/// A further step of a campaign. `submitting` is flushed to disk before this returns (synchronous = FULL), so that
/// nothing is sent that is not known here, whatever happens.
Result<void> setStage(Database& db, const CampaignId& id, campaign::Stage stage, const std::string& job = {});
Result<void> setHeld(Database& db, const CampaignId& id, bool held);
Result<void> setCancelled(Database& db, const CampaignId& id);
/// Notes that the campaign's site is to end these runs, or not to begin them: all of it or nothing.
Result<void> setRunsCancelled(Database& db, const CampaignId& id, const std::vector<RunId>& runs);
/// Since when (wall clock, ns) nothing is known of a campaign; nullopt: it is known. `note`: what its site says of it.
Result<void> setContact(Database& db, const CampaignId& id, std::optional<std::int64_t> lostSince, const Reason& note);

} // namespace ringside::store
