// SPDX-License-Identifier: MIT
// ringside-agent: what Ringside runs on the machine that trains. Small, static, without torch and MPI.
#include "agent/builder/builder.h"
#include "agent/builder/installtorch.h"
#include "agent/engines/install.h"
#include "agent/relay/handover.h"
#include "agent/relay/longrequest.h"
#include "agent/relay/probe.h"
#include "agent/relay/relay.h"
#include "agent/runner/guard.h"
#include "agent/runner/runner.h"
#include "agent/runner/startranks.h"
#include "core/base/child.h"
#include "core/base/say.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <sys/stat.h>

namespace {

using namespace ringside;

namespace exits {
constexpr int kUsage = 2;
constexpr int kDamaged = 65;
constexpr int kUnavailable = 69;
constexpr int kCannotWrite = 73;
constexpr int kBusy = 75;
constexpr int kTerminated = 143;
} // namespace exits

int exitCodeOf(const Error& error)
{
    switch (error.code) {
    case ErrorCode::busy:
        return exits::kBusy;
    case ErrorCode::io:
    case ErrorCode::noSpace:
    case ErrorCode::permission:
        return exits::kCannotWrite;
    case ErrorCode::damaged:
    case ErrorCode::newerVersion:
        return exits::kDamaged;
    case ErrorCode::unavailable:
        return exits::kUnavailable;
    default:
        return exits::kUsage;
    }
}

int endWith(const Error& error)
{
    sayError("ringside-agent: {}", error.text());
    return exitCodeOf(error);
}

int endWith(const Result<int>& code)
{
    return code ? *code : endWith(code.error());
}

int endWith(const Result<void>& done)
{
    return done ? 0 : endWith(done.error());
}

/// The running program itself, whatever PATH and arguments say.
fs::path thisProgram()
{
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored);
}

int runCommand(const fs::path& campaign)
{
    std::error_code ignored;
    const auto end =
        runner::runCampaign(fs::weakly_canonical(campaign, ignored), thisProgram(), runner::Limits::fromEnvironment());
    if (!end)
        return endWith(end.error());
    return *end == runner::RunnerEnd::campaignOver ? 0 : exits::kTerminated;
}

int submitCampaign(const fs::path& campaign)
{
    std::error_code ignored;
    const auto handed = relay::handOver(fs::weakly_canonical(campaign, ignored), thisProgram());
    return sayLine(relay::toJson(handed)) ? 0 : exits::kCannotWrite; // an error, too: the relay reads it
}

int probeMachine(relay::RelayOptions options)
{
    options.root = fs::absolute(options.root).lexically_normal();
    return sayLine(relay::toJson(relay::probe(options))) ? 0 : exits::kCannotWrite;
}

void printProgress(const builder::Progress& progress)
{
    sayLine(builder::lineOf(progress));
}

/// The last line says how it ended, for the reader of the lines.
template <class Value> int endBuild(const Result<Value>& built, const std::string& made)
{
    if (!built) {
        printProgress({"failed", 100, builder::errorToJson(built.error())});
        return endWith(built.error());
    }
    printProgress({"done", 100, made});
    return 0;
}

int buildCommand(builder::BuildOptions options)
{
    ::signal(SIGPIPE, SIG_IGN); // finish even if the reader is gone
    (void)!::nice(10);
    std::error_code ignored;
    options.root = fs::weakly_canonical(options.root, ignored);
    const auto built = builder::build(options, printProgress);
    return endBuild(built, built ? built->program.string() : "");
}

int installTorchCommand(const fs::path& root, const std::string& version)
{
    std::error_code ignored;
    const auto deadline = builder::Deadline::in(std::chrono::hours(1));
    const auto folder = builder::installTorch(fs::weakly_canonical(root, ignored), version, deadline, printProgress);
    return endBuild(folder, folder ? folder->string() : "");
}

void addRun(CLI::App& app, fs::path& campaign)
{
    auto* run = app.add_subcommand("run", "Carry out a campaign's plan unattended");
    run->add_option("CAMPAIGN_DIR", campaign, "Folder with plan.json")->required();
}

void addRelay(CLI::App& app, relay::RelayOptions& options)
{
    auto* relay = app.add_subcommand("relay", "Communicate with Ringside over standard input and output");
    relay->add_option("--root", options.root, "Where campaigns and runs lie")->required();
    relay->add_option("--worker", options.worker, "ringside-worker, for questions about it");
}

void addProbe(CLI::App& app, relay::RelayOptions& options)
{
    auto* probe = app.add_subcommand("probe", "Print as JSON what this machine is and can do");
    probe->add_option("--root", options.root, "Where campaigns and runs lie")->required();
    probe->add_option("--worker", options.worker, "ringside-worker, asked for its features");
}

void addSubmit(CLI::App& app, fs::path& campaign)
{
    auto* submit = app.add_subcommand("submit", "Bring a campaign to its runner or its scheduler (used by relay)");
    submit->add_option("CAMPAIGN_DIR", campaign, "Folder with plan.json and script")->required();
}

void addRank(CLI::App& app, runner::GuardOptions& options)
{
    auto* rank = app.add_subcommand("rank", "Start and guard one rank of an attempt (used by run)");
    rank->add_option("--attempt", options.attempt, "The attempt's folder")->required();
    rank->add_option("--control", options.control, "Named pipe that closes when the runner dies");
    rank->add_option("--runner-heartbeat", options.runnerHeartbeat,
                     "File used instead, for guards on hosts other than the runner's");
    rank->add_option("--rank", options.rank, "Default: what its launcher says");
    rank->add_option("--ranks", options.ranks, "Of the attempt: ranks find each other without MPI");
    rank->add_option("--plan", options.plan, "plan.json, which says how the processes of a run are started");
    rank->add_option("--run", options.run, "That run, in place of a command");
    rank->add_option("COMMAND", options.command, "The rank's program, after --");
}

void addApart(CLI::App& app, std::vector<std::string>& guard)
{
    auto* apart = app.add_subcommand("apart", "Start a rank's guard out of its launcher's reach (used by run)");
    apart->add_option("COMMAND", guard, "The guard, after --")->required();
}

void addRanks(CLI::App& app, runner::StartRanksOptions& options)
{
    auto* ranks = app.add_subcommand("ranks", "Start several ranks of an attempt without MPI (used by run)");
    ranks->add_option("--attempt", options.attempt, "The attempt's folder")->required();
    ranks->add_option("--ranks", options.ranks, "How many the attempt has")->required();
    // One value each: “--” would else end the list in place of the options.
    ranks->add_option("--rank", options.here, "One of those to start here; can be repeated; default: all")
        ->allow_extra_args(false);
    ranks->add_option("--host", options.hosts, "Host to start a rank on, by ssh; given once for each rank, in order")
        ->allow_extra_args(false);
    ranks->add_option("--control", options.control, "Named pipe that closes when the runner dies");
    ranks->add_option("--runner-heartbeat", options.runnerHeartbeat,
                      "File used instead, for hosts other than the runner's");
    ranks->add_option("--plan", options.plan, "plan.json, which says how the processes of a run are started");
    ranks->add_option("--run", options.run, "That run, in place of a command");
    ranks->add_option("COMMAND", options.command, "A rank's program, after --");
}

void addLongRequest(CLI::App& app, relay::RelayOptions& options)
{
    auto* longRequest = app.add_subcommand("long-request", "Carry out one long request (used by relay)");
    longRequest->add_option("--root", options.root, "Where campaigns and runs lie")->required();
}

void addBuild(CLI::App& app, builder::BuildOptions& options)
{
    auto* build = app.add_subcommand("build", "Build ringside-worker for this machine");
    build->add_option("--root", options.root, "Where workers lie")->required();
    build->add_option("--source", options.source, "worker-source.tar.gz")->required()->check(CLI::ExistingFile);
    build->add_option("--torch", options.torch, "Folder of torch; default: looked for");
    build->add_option("--module", options.modules, "Module to load first; can be repeated");
    build->add_option("--jobs", options.jobs, "Compilers at a time; default: by cores and memory");
    build->add_flag("--install-torch", options.installTorch, "Install torch for Ringside alone if there is none");
}

void addInstallTorch(CLI::App& app, fs::path& root, std::string& version)
{
    auto* install = app.add_subcommand("install-torch", "Install torch for Ringside alone, below its root");
    install->add_option("--root", root, "Ringside's folder")->required();
    install->add_option("--version", version, "Version of torch")->capture_default_str();
}

/// Reads the installation from standard input, in the form of core/protocol/installation.h.
void addInstallEngine(CLI::App& app, engines::InstallOptions& options)
{
    auto* install = app.add_subcommand("install-engine", "Install a system for Ringside alone, below its root");
    install->add_option("--root", options.root, "Ringside's folder")->required();
    install->add_option("--python", options.python, "Interpreter that has it, or makes it; default: looked for");
    install->add_option("--module", options.modules, "Module to load first; can be repeated");
    install->add_option("--wheels", options.wheels, "Folder of wheels, in place of the package index");
    install->add_option("NAME", options.name, "The system")->required();
}

int installEngineCommand(engines::InstallOptions& options)
{
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    auto installation = installationFromJson(text);
    if (!installation)
        return endWith(installation.error());
    options.installation = std::move(*installation);
    options.root = fs::absolute(options.root);
    const auto engine = engines::install(options, builder::Deadline::in(std::chrono::hours(2)), printProgress);
    return endBuild(engine, engine ? engine->version : "");
}

} // namespace

int main(int argc, char** argv)
{
    heedEndsOfChildren();
    ::umask(077); // whatever it or its tools write is this user's alone
    CLI::App app("Ringside on the machine that trains: carries out campaigns and reports their progress.",
                 "ringside-agent");
    app.set_version_flag("--version", "ringside-agent " RINGSIDE_VERSION);
    app.require_subcommand(1);
    fs::path campaign;
    relay::RelayOptions relayOptions;
    relayOptions.agent = thisProgram();
    runner::GuardOptions guardOptions;
    addRun(app, campaign);
    addRelay(app, relayOptions);
    addRank(app, guardOptions);
    std::vector<std::string> guard;
    addApart(app, guard);
    runner::StartRanksOptions ranksOptions;
    addRanks(app, ranksOptions);
    addProbe(app, relayOptions);
    addSubmit(app, campaign);
    builder::BuildOptions buildOptions;
    fs::path torchRoot;
    std::string torchVersion = builder::kTorchVersion;
    addLongRequest(app, relayOptions);
    addBuild(app, buildOptions);
    addInstallTorch(app, torchRoot, torchVersion);
    engines::InstallOptions engineOptions;
    addInstallEngine(app, engineOptions);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? 0 : exits::kUsage;
    }
    if (app.got_subcommand("run"))
        return runCommand(campaign);
    if (app.got_subcommand("long-request"))
        return endWith(relay::carryOutLongRequest(relayOptions));
    if (app.got_subcommand("build"))
        return buildCommand(buildOptions);
    if (app.got_subcommand("install-torch"))
        return installTorchCommand(torchRoot, torchVersion);
    if (app.got_subcommand("install-engine"))
        return installEngineCommand(engineOptions);
    if (app.got_subcommand("apart"))
        return endWith(runner::runApart(guard));
    if (app.got_subcommand("ranks"))
        return endWith(runner::startRanks(ranksOptions, thisProgram()));
    if (app.got_subcommand("submit"))
        return submitCampaign(campaign);
    if (app.got_subcommand("probe"))
        return probeMachine(relayOptions);
    return app.got_subcommand("rank") ? endWith(runner::guardRank(guardOptions)) : endWith(relay::serve(relayOptions));
}
