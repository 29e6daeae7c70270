// SPDX-License-Identifier: MIT
// Systems that are not Ringside's own, as plans carry them: what each of their processes is started with.
#include "core/jobs/programs/system.h"
#include "core/base/sequences.h"
#include "core/jobs/attempts/attemptcommand.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/schedulers/table.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

Engine engine()
{
    Engine engine;
    engine.title = "Tiny";
    engine.command = {"/opt/python", "{drivers}/tiny.py", "--batch={batch_per_rank}", "--rank={rank}",
                      "--servers={tiny.servers}"};
    engine.scriptCommand = {"/opt/python", "{tiny.script}", "{tiny.arguments}"};
    engine.environment = {{"ROOT", "{first_address}:{first_port}"}, {"ROLE", "{role} {role_index} of {role_count}"}};
    engine.roles = {{"server", {{"PORT", "{port}"}, {"CLUSTER", "{cluster}"}}}};
    engine.exits = {{3, Cause::settings, "refused its settings"}};
    return engine;
}

/// Two ranks and a server.
CampaignPlan planOf(const Engine& engine)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = StoreId::random();
    plan.engines["tiny"] = engine;
    RunSpec run;
    run.id = RunId::random();
    run.settings["engine"] = std::string("tiny");
    run.settings["ranks"] = std::int64_t{2};
    run.settings["batch_per_rank"] = std::int64_t{32};
    run.settings["tiny.servers"] = std::int64_t{1};
    run.roles = {{"server", 1, Placement::shared}};
    plan.runs.push_back(run);
    return plan;
}

jobs::ProcessPlace placeOf(int process)
{
    return {process,
            process,
            "/root/runs/r/attempt-1",
            "/root/drivers/x",
            {{"10.0.0.1", 11}, {"10.0.0.2", 12}, {"10.0.0.3", 13}}};
}

jobs::ProcessStart startOf(const CampaignPlan& plan, int process)
{
    const auto start = jobs::processStart(plan, plan.runs.front(), placeOf(process));
    REQUIRE_MESSAGE(start, start.error().text());
    return *start;
}

} // namespace

TEST_CASE("each process is started with its own place")
{
    const CampaignPlan plan = planOf(engine());
    CHECK(jobs::meetsByAddress(plan, plan.runs.front()));
    const auto rank = startOf(plan, 1), server = startOf(plan, 2);
    CHECK(rank.command ==
          jobs::Command{"/opt/python", "/root/drivers/x/tiny.py", "--batch=32", "--rank=1", "--servers=1"});
    CHECK(rank.environment == std::map<std::string, std::string>{{"PYTHONIOENCODING", "utf-8:backslashreplace"},
                                                                 {"PYTHONUNBUFFERED", "1"},
                                                                 {"ROOT", "10.0.0.1:11"},
                                                                 {"ROLE", "rank 1 of 2"}});
    CHECK(server.environment.at("ROLE") == "server 0 of 1");
    CHECK(server.environment.at("PORT") == "13");
    CHECK(server.environment.at("CLUSTER") == R"({"rank":["10.0.0.1:11","10.0.0.2:12"],"server":["10.0.0.3:13"]})");
}

TEST_CASE("a launcher's list of hosts has each node once, with its ranks, and no server")
{
    Engine other = engine();
    other.environment = {{"HOSTS", "{hosts}"}};
    CampaignPlan plan = planOf(other);
    CHECK(jobs::meetsByAddress(plan, plan.runs.front()));
    CHECK(startOf(plan, 1).environment.at("HOSTS") == "10.0.0.1:2");
    plan.runs.front().settings["nodes"] = std::int64_t{2};
    CHECK(startOf(plan, 1).environment.at("HOSTS") == "10.0.0.1:1,10.0.0.2:1");
    CHECK(startOf(plan, 2).environment.at("HOSTS") == "10.0.0.1:1,10.0.0.2:1");
}

TEST_CASE("a system calls its ranks what it wants")
{
    Engine other = engine();
    other.rankName = "worker";
    const CampaignPlan plan = planOf(other);
    CHECK(startOf(plan, 1).environment.at("ROLE") == "worker 1 of 2");
    CHECK(startOf(plan, 2).environment.at("CLUSTER") ==
          R"({"server":["10.0.0.3:13"],"worker":["10.0.0.1:11","10.0.0.2:12"]})");
}

TEST_CASE("a user's script takes the driver's place, and its arguments are filled in as its command is")
{
    CampaignPlan plan = planOf(engine());
    plan.runs.front().settings["tiny.script"] = std::string("/home/me/train me.py");
    plan.runs.front().settings["tiny.arguments"] =
        std::string("--depth 50  --batch={batch_per_rank} {model} --note={{rank}} $HOME;rm");
    plan.runs.front().settings["model"] = std::string("my {net}");
    CHECK(startOf(plan, 0).command == jobs::Command{"/opt/python", "/home/me/train me.py", "--depth", "50",
                                                    "--batch=32", "my {net}", "--note={rank}", "$HOME;rm"});
    plan.runs.front().settings["batch_per_rank"] = std::int64_t{64};
    CHECK(contains(startOf(plan, 0).command, std::string("--batch=64")));
    plan.runs.front().settings["tiny.arguments"] = std::string("{no_such_thing}");
    CHECK_FALSE(jobs::processStart(plan, plan.runs.front(), placeOf(0)));
    plan.runs.front().settings["tiny.script"] = std::string("/home/me/t.py");
    plan.runs.front().settings["tiny.arguments"] = std::string("");
    CHECK(startOf(plan, 0).command == jobs::Command{"/opt/python", "/home/me/t.py"});
}

TEST_CASE("a user's script starts in its own folder, behind a launch prefix too, and a driver where its guard is")
{
    CampaignPlan plan = planOf(engine());
    CHECK(startOf(plan, 0).folder.empty());
    plan.runs.front().settings["tiny.script"] = std::string("/home/me/my nets/train.py");
    CHECK(startOf(plan, 0).folder == "/home/me/my nets");
    plan.launchPrefix = {"apptainer", "exec", "image.sif"};
    const jobs::ProcessStart contained = startOf(plan, 0);
    CHECK(contained.folder.empty());
    CHECK(contained.command == jobs::Command{"apptainer", "exec", "image.sif", "/bin/sh", "-c",
                                             "cd -- \"$0\" || exit 127; exec \"$@\"", "/home/me/my nets", "/opt/python",
                                             "/home/me/my nets/train.py"});
}

TEST_CASE("a script whose arguments have an address makes its processes agree on theirs")
{
    Engine engine = ::engine();
    engine.environment.clear();
    engine.roles.clear();
    CampaignPlan plan = planOf(engine);
    plan.runs.front().settings["tiny.arguments"] = std::string("--master {first_address}:{first_port}");
    CHECK_FALSE(jobs::meetsByAddress(plan, plan.runs.front())); // without a script there are no arguments
    plan.runs.front().settings["tiny.script"] = std::string("/home/me/t.py");
    CHECK(jobs::meetsByAddress(plan, plan.runs.front()));
    CHECK(startOf(plan, 1).command.back() == "10.0.0.1:11");
}

TEST_CASE("a launch prefix comes first, and a name without a value is an error")
{
    CampaignPlan plan = planOf(engine());
    plan.launchPrefix = {"apptainer", "exec", "image.sif"};
    CHECK(startOf(plan, 0).command.front() == "apptainer");
    plan.engines["tiny"].command.push_back("{data_path}");
    plan.engines["tiny"].optional = {"data_path"};
    CHECK(startOf(plan, 0).command.back().empty());
    plan.engines["tiny"].command.push_back("{tiny.compression}");
    plan.engines["tiny"].standards = {{"tiny.compression", "none"}};
    CHECK(startOf(plan, 0).command.back() == "none");
    plan.engines["tiny"].command.push_back("{no_such_thing}");
    const auto start = jobs::processStart(plan, plan.runs.front(), placeOf(0));
    REQUIRE_FALSE(start);
    CHECK(start.error().message.find("no_such_thing") != std::string::npos);
}

TEST_CASE("systems that meet by themselves need no MPI, others do, and their exit codes are theirs")
{
    CampaignPlan plan = planOf(engine());
    const jobs::SitePaths paths{"/root", "/bin/ringside-agent"};
    const jobs::AttemptPlace place{1, "/tmp/x", "/dev/shm/x"};
    const auto alone = jobs::attemptCommand(plan, plan.runs.front(), paths, place);
    REQUIRE(alone);
    CHECK(alone->launcher->name() == jobs::kLauncherWithoutMpi);
    CHECK(contains(alone->arguments, std::string("--run")));
    CHECK_FALSE(contains(alone->arguments, std::string("--")));

    plan.engines["tiny"].meeting = EngineMeeting::mpi;
    CHECK(jobs::attemptCommand(plan, plan.runs.front(), paths, place)->arguments.front() == "mpirun");
    plan.launcher = std::string(jobs::kLauncherWithoutMpi);
    CHECK(jobs::attemptCommand(plan, plan.runs.front(), paths, place).error() ==
          because(why::kStartedWithoutMpi, {{"program", "tiny"}, {"launcher", "direct"}, {"usual", "mpirun"}}));
    jobs::AttemptPlace inJob = place;
    inJob.hosts = {"a"};
    inJob.scheduler = jobs::schedulerNamed("slurm");
    CHECK(jobs::attemptCommand(plan, plan.runs.front(), paths, inJob).error() ==
          because(why::kStartedWithoutMpi, {{"program", "tiny"}, {"launcher", "srun-none"}, {"usual", "srun"}}));

    const auto program = jobs::programOf(plan, plan.runs.front().settings);
    CHECK(jobs::meaningOf(*program, 3).cause == Cause::settings);
    CHECK(jobs::meaningOf(*program, 4).cause == Cause::crashed);
    CHECK(jobs::meaningOf(*program, 127).cause == Cause::launch);
}

TEST_CASE("a plan brings its engines whole")
{
    CampaignPlan plan = planOf(engine());
    plan.engines["tiny"].optional = {"data_path"};
    plan.engines["tiny"].standards = {{"tiny.compression", "none"}};
    plan.runs.front().roles.front().count = 2; // none of the aggregation plan's
    const auto read = planFromJson(planToJson(plan));
    REQUIRE_MESSAGE(read, read.error().text());
    CHECK(*read == plan);
}
