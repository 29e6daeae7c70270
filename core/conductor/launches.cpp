// SPDX-License-Identifier: MIT
#include "core/conductor/launches.h"

#include "core/base/words.h"
#include "core/conductor/planning.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <set>

namespace ringside {

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

Result<spec::Experiment> storedExperiment(const store::Database& db, const std::string& name)
{
    TRY_ASSIGN(const std::string text, store::experimentText(db, name));
    return spec::parseExperiment(text, name);
}

/// What does what is missing; nullopt if nothing is.
Result<std::optional<CampaignPlan>> planned(const store::Database& db, const spec::Experiment& experiment,
                                            const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(std::vector<RunSpec> specs, specsFor(db, request, experiment));
    if (specs.empty())
        return std::nullopt;
    CampaignPlan campaign = planOf(experiment, db.id(), ready, std::move(specs));
    campaign.campaign = request.campaign.value_or(campaign.campaign);
    return campaign;
}

} // namespace

Result<void> keepExperiment(store::Database& db, const spec::Experiment& experiment, const std::string& besides)
{
    TRY_ASSIGN(const std::set<std::string> names, sitesOf(db, experiment, besides));
    TRY_ASSIGN(const store::ExperimentEdit edit, editOf(experiment, names));
    return store::saveExperiment(db, edit);
}

Result<LaunchPreview> previewLaunch(const store::Database& db, const spec::Experiment& experiment,
                                    const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(const std::optional<CampaignPlan> campaign, planned(db, experiment, request, ready));
    if (!campaign)
        return LaunchPreview{0, {}, request.site, 0, {}, {}, {}};
    return previewOf(*campaign, ready, request.byHand);
}

Result<std::optional<CampaignId>> keepLaunch(store::Database& db, const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(const spec::Experiment experiment, storedExperiment(db, request.experiment));
    TRY_ASSIGN(std::optional<CampaignPlan> campaign, planned(db, experiment, request, ready));
    if (!campaign)
        return std::nullopt;
    if (request.site != experiment.site)
        TRY(keepExperiment(db, experiment, request.site));
    TRY_ASSIGN(const store::Submission submission, submissionOf(*campaign, ready, request.byHand));
    TRY(store::addCampaign(db, *campaign, submission));
    return campaign->campaign;
}

} // namespace ringside
