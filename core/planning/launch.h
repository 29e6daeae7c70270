// SPDX-License-Identifier: MIT
// A launch as it is asked for, and as it is shown before anything is submitted.
#pragma once

#include "core/base/ids.h"
#include "core/spec/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside {

struct LaunchRequest
{
    std::string experiment; ///< its name
    std::string site = "local";
    /// Saved together with the launch, with a trial only if there is none of its name; none: the experiment is launched
    /// as it is stored.
    std::optional<spec::Experiment> revision = {};
    bool retryFailed = false;     ///< also runs that failed of their own
    bool trial = false;           ///< the smallest configuration once, 20 iterations, stored apart
    std::vector<RunId> only = {}; ///< empty: everything that is missing
    bool byHand = false;          ///< under a scheduler: everything but the submission, which a person does
    /// The id that a preview showed, so that what it showed is what is submitted.
    std::optional<CampaignId> campaign = {};
};

/// Saves the experiment and launches it.
inline LaunchRequest launchOf(spec::Experiment experiment, std::string site)
{
    LaunchRequest request{experiment.name, std::move(site)};
    request.revision = std::move(experiment);
    return request;
}

/// The campaigns that a launch would submit.
struct LaunchPreview
{
    CampaignId campaign = {}; ///< for the launch that is to be like this
    std::string site = {};
    std::size_t runs = 0;        ///< 0: nothing is missing, and there is no script
    std::size_t jobs = 1;        ///< as many scripts; the others do other runs, and are like this one
    double mostNodeSeconds = 0;  ///< of all jobs together, by their time limits; 0 without a scheduler
    std::string scheduler = {};  ///< as jobs::Submitter has it; empty: the runs start at once
    std::string scriptFile = {}; ///< where a launch puts it on the site; empty without a scheduler
    std::string script = {}; ///< byte for byte what is submitted; without a scheduler the runner's commands, with run
                             ///< ids of its own
};

} // namespace ringside
