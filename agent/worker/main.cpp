// SPDX-License-Identifier: MIT
// ringside-worker: the command line of the training engine.
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/endprocess.h"
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/train/calibrate.h"
#include "agent/worker/train/features.h"
#include "agent/worker/train/train.h"
#include "core/base/child.h"
#include "core/base/say.h"
#include "core/protocol/levels.h"

#include <CLI/CLI.hpp>
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

/// One of the words of a setting.
template <class Words> CLI::IsMember oneOf(const Words& words)
{
    return CLI::IsMember(std::vector<std::string>(words.begin(), words.end()));
}

/// The runner names plan, run and attempt; a person none of them.
void addCalibrate(CLI::App& app, ringside::TrainRequest& request, ringside::CalibrateHere& here)
{
    auto* calibrate = app.add_subcommand(
        "calibrate",
        "measure cores, memory, disk, links and GPUs, in about a minute (start it with mpirun for several ranks)");
    calibrate->add_option("--cores", here.coresPerRank, "cores of a rank")->check(CLI::Range(1, 1024));
    calibrate->add_option("--folder", here.folder, "where the disk is read; a file of 32 MiB is kept there");
    calibrate->add_option("--device", here.means.device, "cuda: the GPU of each rank, too")
        ->check(oneOf(ringside::kDevices));
    calibrate->add_option("--backend", here.means.backend, "nccl: what sums on GPUs; auto: MPI or TCP, the faster")
        ->check(oneOf(ringside::kBackends));
    calibrate->add_option("--interface", here.means.interface, "the network between nodes, by its name on them");
    auto* plan = calibrate->add_option("--plan", request.planFile)->check(CLI::ExistingFile)->group("");
    auto* run = calibrate->add_option("--run", request.run)->group("");
    auto* attempt = calibrate->add_option("--attempt", request.attempt)->check(CLI::ExistingDirectory)->group("");
    for (auto* option : {run, attempt}) {
        option->needs(plan);
        plan->needs(option);
    }
}

/// The processes that selftest starts are ranks.
struct SelfTest
{
    bool asRank = false;
    bool overNccl = false;

    ringside::Backend backend() const { return overNccl ? ringside::Backend::nccl : ringside::Backend::launcher; }
};

void addSelfTest(CLI::App& app, SelfTest& selfTest)
{
    auto* command = app.add_subcommand("selftest", "check numerics, collectives and timers on this machine");
    command->add_flag("--rank", selfTest.asRank, "as one of the ranks that selftest starts")->group("");
    command->add_flag("--nccl", selfTest.overNccl)->group("");
}

int run(const CLI::App& app, const ringside::TrainRequest& request, const ringside::CalibrateHere& here,
        const SelfTest& selfTest)
{
    if (app.got_subcommand("calibrate"))
        return request.planFile.empty() ? ringside::calibrate(here) : ringside::calibrate(request);
    if (app.got_subcommand("train"))
        return ringside::train(request);
    if (app.got_subcommand("selftest"))
        return selfTest.asRank ? ringside::selfTestRank(selfTest.backend()) : ringside::selfTest();
    return ringside::sayLine(ringside::featuresJson()) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    ringside::heedEndsOfChildren();
    CLI::App app{"Ringside's training engine", "ringside-worker"};
    app.set_version_flag("--version", RINGSIDE_VERSION);
    app.require_subcommand(1);
    ringside::TrainRequest request;
    addTrain(app, request);
    ringside::CalibrateHere here;
    addCalibrate(app, request, here);
    SelfTest selfTest;
    addSelfTest(app, selfTest);
    app.add_subcommand("features", "what was built in, as JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        ringside::endProcess(app.exit(error) == 0 ? 0 : ringside::exitcode::kSettings);
    }
    const int code = run(app, request, here, selfTest);
    if (ringside::hasToExit())
        return code;
    ringside::endProcess(code);
}
