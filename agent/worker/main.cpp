// SPDX-License-Identifier: MIT
// ringside-worker: the command line of the training engine.
#include "agent/worker/features.h"
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/train.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>

namespace {

void addTrain(CLI::App& app, ringside::TrainRequest& request)
{
    auto* train = app.add_subcommand("train", "train one run of a plan as one rank (start it with mpirun for several)");
    train->add_option("--plan", request.planFile, "plan.json of the campaign")->required()->check(CLI::ExistingFile);
    train->add_option("--run", request.run, "UUID of the run")->required();
    train->add_option("--attempt", request.attempt, "folder attempt-k that the spool is written to")
        ->required()
        ->check(CLI::ExistingDirectory);
    train->add_option("--delay", request.delays, "for tests: PLACE=MILLISECONDS")->group("");
}

int run(const CLI::App& app, const ringside::TrainRequest& request, bool asRank)
{
    if (app.got_subcommand("train"))
        return ringside::train(request);
    if (app.got_subcommand("selftest"))
        return asRank ? ringside::selfTestRank() : ringside::selfTest();
    fmt::print("{}\n", ringside::featuresJson());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app{"Ringside's training engine", "ringside-worker"};
    app.set_version_flag("--version", RINGSIDE_VERSION);
    app.require_subcommand(1);
    ringside::TrainRequest request;
    addTrain(app, request);
    bool asRank = false;
    app.add_subcommand("selftest", "check numerics, collectives and timers on this machine")
        ->add_flag("--rank", asRank, "as one of the ranks that selftest starts")
        ->group("");
    app.add_subcommand("features", "what was built in, as JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : ringside::exitcode::kSettings;
    }
    return run(app, request, asRank);
}
