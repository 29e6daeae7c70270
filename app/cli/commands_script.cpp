// SPDX-License-Identifier: GPL-3.0-or-later
// script: for people who submit by hand.
#include "app/cli/answer.h"
#include "app/cli/checkedfile.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/steps.h"
#include "app/cli/watcher.h"
#include "core/base/say.h"
#include "core/jobs/schedulers/table.h"

namespace ringside::cli {

namespace {

Exit printPreview(const Context& context, const LaunchPreview& launched)
{
    const auto submitter = jobs::submitterOf(launched.scheduler);
    if (!submitter)
        return report(submitter.error());
    const std::string submit = jobs::typedSubmission(*submitter->scheduler, launched.scriptFile);
    if (context.json)
        print({{"site", launched.site},
               {"campaign", launched.campaign.str()},
               {"runs", launched.runs},
               {"submit", submit},
               {"script", launched.script}});
    else
        printBytes(launched.script);
    sayError("Submit it on {}: {}\n“{}” fetches what the job produces.", launched.site, submit,
             commandLine(context, "collect"));
    return Exit::done;
}

} // namespace

Exit script(const Context& context, const ScriptOptions& options)
{
    TRY_OR_EXIT(const ConductorOptions programs, conductorOptions(context));
    TRY_OR_EXIT(const CheckedFile checked, readForLaunch(options.file, options.site, programs.worker));
    const spec::Experiment& experiment = *checked.outcome.experiment;
    Watcher watcher;
    TRY_OR_EXIT(const std::unique_ptr<Conductor> conductor, openConductor(programs, watcher));
    Steps steps(checked.site);
    LaunchRequest request = launchOf(experiment, checked.site);
    request.byHand = true;
    const Wait wait{kSiteLimit, &steps};
    TRY_OR_EXIT(const LaunchPreview preview, await<LaunchPreview>(watcher, wait, [&](Completion<LaunchPreview> done) {
                    conductor->preview(request, std::move(done));
                }));
    if (preview.runs == 0)
        return report({ErrorCode::exists,
                       fmt::format("Nothing of “{}” is missing on {}.", experiment.name, preview.site),
                       "More repeats or levels make more runs."});
    request.campaign = preview.campaign;
    const auto launch = [&](Completion<> done) { conductor->launch(request, std::move(done)); };
    if (const auto launched = await(watcher, wait, launch); !launched)
        return report(launched.error());
    return printPreview(context, preview);
}

} // namespace ringside::cli
