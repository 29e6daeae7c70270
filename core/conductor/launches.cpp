// SPDX-License-Identifier: MIT
#include "core/conductor/launches.h"

#include "core/base/words.h"
#include "core/planning/calibratedcost.h"
#include "core/planning/planning.h"
#include "core/spec/toml.h"
#include "core/store/canaries.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <algorithm>
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

/// As it can be opened again. A value that is at fault says so itself.
Result<spec::Experiment> asStored(const spec::Experiment& experiment)
{
    auto read = spec::parseExperiment(spec::writeExperiment(experiment), experiment.name);
    if (!read)
        TRY(spec::expand(experiment));
    return read;
}

Result<spec::Experiment> experimentOf(const store::Database& db, const LaunchRequest& request)
{
    if (request.revision)
        return asStored(*request.revision);
    TRY_ASSIGN(const std::string text, store::experimentText(db, request.experiment));
    return spec::parseExperiment(text, request.experiment);
}

/// A plan that the site would refuse, or would read as something else, is refused before anything is stored or sent.
Result<void> checkReadable(const CampaignPlan& plan)
{
    const auto read = planFromJson(planToJson(plan));
    if (!read)
        return fail(ErrorCode::usage, read.error().message, Words::tr("Change it in the experiment or in the site."));
    if (*read != plan)
        return fail(ErrorCode::usage,
                    Words::tr("The experiment or the site has a name or path that is not UTF-8 text."),
                    Words::tr("Enter its names and paths again."));
    return {};
}

/// The first run of each configuration: the others differ from it only in what we number ourselves.
std::vector<RunSpec> examplesOf(const std::vector<RunSpec>& specs)
{
    std::set<std::string_view> seen;
    std::vector<RunSpec> examples;
    std::ranges::copy_if(specs, std::back_inserter(examples),
                         [&](const RunSpec& spec) { return seen.insert(spec.configurationKey).second; });
    return examples;
}

/// Runs that can go by a calibration of the site get its cost.
Result<void> addCosts(const store::Database& db, const std::string& site, std::vector<RunSpec>& specs)
{
    if (std::ranges::none_of(specs, wantsCalibration))
        return {};
    TRY_ASSIGN(const std::vector<store::SiteCalibration> known, store::calibrations(db, site));
    for (RunSpec& spec : specs)
        spec.calibratedCost = costFor(spec, known);
    return {};
}

/// Returns the campaigns that do what is missing: one, or one for each run where every run is to be a job of its own.
/// None: nothing is missing.
Result<std::vector<CampaignPlan>> planned(const store::Database& db, const spec::Experiment& experiment,
                                          const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(std::vector<RunSpec> specs, specsFor(db, request, experiment));
    TRY(addCosts(db, request.site, specs));
    if (!specs.empty())
        TRY(checkReadable(planOf(experiment, db.id(), ready, examplesOf(specs))));
    std::vector<CampaignPlan> campaigns;
    if (ready.scheduler && ready.site.jobPerRun && !request.byHand) // one script is enough by hand
        for (RunSpec& spec : specs)
            campaigns.push_back(planOf(experiment, db.id(), ready, {std::move(spec)}));
    else if (!specs.empty())
        campaigns.push_back(planOf(experiment, db.id(), ready, std::move(specs)));
    if (!campaigns.empty())
        campaigns.front().campaign = request.campaign.value_or(campaigns.front().campaign);
    return campaigns;
}

/// With the cells of `site` besides those of the experiment's own and of where its runs are.
Result<store::ExperimentEdit> editWithSite(const store::Database& db, const spec::Experiment& experiment,
                                           const std::string& site)
{
    TRY(asStored(experiment));
    TRY_ASSIGN(const std::set<std::string> names, sitesOf(db, experiment, site));
    return editOf(experiment, names);
}

/// A trial is of what was typed, and replaces nothing: it is stored with its experiment only where there is none yet.
Result<bool> changesExperiment(const store::Database& db, const LaunchRequest& request,
                               const spec::Experiment& experiment)
{
    if (!request.trial)
        return request.revision || request.site != experiment.site;
    TRY_ASSIGN(const auto stored, store::experimentByName(db, experiment.name));
    return !stored;
}

} // namespace

Result<void> requireStored(const store::Database& db, const std::string& experiment)
{
    const auto text = store::experimentText(db, experiment);
    if (!text && text.error().code == ErrorCode::notFound)
        return fail(ErrorCode::notFound, Words::tr("“{}” was deleted while its launch was prepared.", experiment),
                    Words::tr("Launch it again to bring it back."));
    return text.map([](const std::string&) {});
}

Result<void> storeExperiment(store::Database& db, const spec::Experiment& experiment)
{
    TRY_ASSIGN(const store::ExperimentEdit edit, editWithSite(db, experiment, experiment.site));
    return store::saveExperiment(db, edit);
}

Result<LaunchPreview> previewLaunch(const store::Database& db, const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(const spec::Experiment experiment, experimentOf(db, request));
    TRY_ASSIGN(std::vector<CampaignPlan> campaigns, planned(db, experiment, request, ready));
    if (campaigns.empty())
        return LaunchPreview{.site = request.site};
    std::size_t runs = 0;
    double nodeSeconds = 0;
    for (const CampaignPlan& campaign : campaigns) {
        TRY(planToSend(campaign));
        runs += campaign.runs.size();
        nodeSeconds += mostNodeSeconds(campaign, ready);
    }
    TRY_ASSIGN(LaunchPreview preview, previewOf(std::move(campaigns.front()), ready, request.byHand));
    preview.jobs = campaigns.size();
    preview.runs = runs;
    preview.mostNodeSeconds = nodeSeconds;
    return preview;
}

Result<std::vector<CampaignPlan>> storeLaunch(store::Database& db, const LaunchRequest& request, const ReadySite& ready)
{
    TRY_ASSIGN(const spec::Experiment experiment, experimentOf(db, request));
    TRY_ASSIGN(std::vector<CampaignPlan> campaigns, planned(db, experiment, request, ready));
    std::vector<store::Submission> submissions; // all of them first: none is stored if one cannot be written
    for (const CampaignPlan& campaign : campaigns) {
        TRY_ASSIGN(store::Submission submission, submissionOf(campaign, ready, request.byHand));
        submissions.push_back(std::move(submission));
    }
    std::optional<store::ExperimentEdit> edit;
    TRY_ASSIGN(const bool isChanged, changesExperiment(db, request, experiment));
    if (isChanged && (request.revision || !campaigns.empty())) {
        TRY_ASSIGN(edit, editWithSite(db, experiment, request.site));
    }
    if (edit || !campaigns.empty())
        TRY(store::addCampaigns(db, campaigns, submissions, edit));
    return campaigns;
}

} // namespace ringside
