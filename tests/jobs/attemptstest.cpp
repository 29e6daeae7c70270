// SPDX-License-Identifier: MIT
#include "core/jobs/attempts/localscript.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/layout.h"
#include "core/protocol/ownprograms.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace ringside;

namespace {

CampaignPlan planOf(std::vector<int> ranks)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.experiment = "it's a test\nrm -rf /";
    plan.worker = "/opt/ringside worker";
    for (const int count : ranks) {
        RunSpec run;
        run.id = RunId::random();
        run.settings["ranks"] = std::int64_t{count};
        plan.runs.push_back(run);
    }
    return plan;
}

bool contains(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

TEST_CASE("one rank is started directly, several below mpirun, with the same worker")
{
    const auto plan = planOf({1, 4});
    const jobs::SitePaths paths{"/root of it", "/bin/ringside-agent"};
    const jobs::AttemptPlace place{3, "/tmp/x", "/dev/shm/x"};
    const auto one = *jobs::attemptCommand(plan, plan.runs[0], paths, place);
    const auto four = *jobs::attemptCommand(plan, plan.runs[1], paths, place);
    CHECK(one.arguments.front() == "/bin/ringside-agent");
    CHECK(four.arguments.front() == "mpirun");
    for (const char* word : {"--oversubscribe", "none", "ob1", "self,vader,tcp", "/dev/shm/x", "4"})
        CHECK(contains(four.arguments, word));
    CHECK(four.environment.at("OMPI_ALLOW_RUN_AS_ROOT") == "1");
    CHECK(four.environment.at("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1");
    CHECK(four.environment.at("TMPDIR") == "/tmp/x");
    CHECK(four.environment.at("RINGSIDE_ATTEMPT") == layout::attemptFolder("/root of it", plan.runs[1].id, 3));
    for (const auto& command : {one, four}) {
        CHECK(contains(command.arguments, "/opt/ringside worker"));
        CHECK(contains(command.arguments, "train"));
    }
}

TEST_CASE("a run of each of Ringside's own programs is of its subcommand of the worker, and of no other")
{
    auto plan = planOf({2});
    for (const OwnProgram& program : kOwnPrograms) {
        plan.runs[0].settings["engine"] = std::string(program.name);
        const auto command = *jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, {1, "/tmp/x"});
        for (const OwnProgram& other : kOwnPrograms)
            CHECK(contains(command.arguments, std::string(other.subcommand)) == (other.name == program.name));
        CHECK(jobs::programNamed(program.name).trains() == program.trains);
    }
}

namespace {

/// 4 ranks on 2 nodes.
CampaignPlan servedPlan(int servers, Placement placement)
{
    CampaignPlan plan = planOf({4});
    plan.runs[0].settings["nodes"] = std::int64_t{2};
    plan.runs[0].roles = {{kServerRole, servers, placement}};
    return plan;
}

std::string line(const jobs::AttemptCommand& command)
{
    std::string text;
    for (const std::string& word : command.arguments)
        text += word + " ";
    return text;
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

TEST_CASE("server ranks are processes beside the ranks, on their nodes or on nodes of their own")
{
    const RunSpec shared = servedPlan(3, Placement::shared).runs[0];
    CHECK(shared.processes() == 7);
    CHECK(shared.allNodes() == 2);
    CHECK(shared.processesPerNode() == 4); // two ranks, and two of the three servers
    const RunSpec own = servedPlan(3, Placement::own).runs[0];
    CHECK(own.processes() == 7);
    CHECK(own.allNodes() == 4); // two servers on one, one on the other
    CHECK(own.processesPerNode() == 2);
    const RunSpec none = planOf({4}).runs[0];
    CHECK(none.processes() == 4);
    CHECK(none.allNodes() == 1);
}

TEST_CASE("a process that is all ranks of its node is started once a node")
{
    CampaignPlan plan = planOf({7}); // four ranks on the first node, three on the second
    RunSpec& run = plan.runs[0];
    run.settings["nodes"] = std::int64_t{2};
    run.ranksPerProcess = run.ranksPerNode();
    CHECK(run.processes() == 2);
    CHECK(run.processesPerNode() == 1);
    CHECK(run.allNodes() == 2);
    CHECK(run.ranksOf(0) == 4);
    CHECK(run.ranksOf(1) == 3);
    CHECK(run.nodeOf(1) == 1);
    CHECK(run.leads(1));
    CHECK_FALSE(run.leads(2));
    jobs::AttemptPlace place{1, "/tmp/x", "/dev/shm/x"};
    place.hosts = {"a", "b"};
    plan.launcher = "openmpi";
    CHECK(line(*jobs::attemptCommand(plan, run, {"/root", "/bin/ringside-agent"}, place))
              .find(" -np 2 --host a:1,b:1 ") != std::string::npos);
    plan.launcher = "srun";
    place.scheduler = jobs::schedulerNamed("slurm");
    CHECK(line(*jobs::attemptCommand(plan, run, {"/root", "/bin/ringside-agent"}, place))
              .find(" --ntasks=2 --ntasks-per-node=1 ") != std::string::npos);
    plan.launcher = "direct";
    place.scheduler = nullptr;
    CHECK(count(line(*jobs::attemptCommand(plan, run, {"/root", "/bin/ringside-agent"}, place)), "--host ") == 2);
}

TEST_CASE("processes of several roles follow the ranks, each where its role says")
{
    CampaignPlan plan = servedPlan(3, Placement::own);
    RunSpec& run = plan.runs[0];
    run.roles.insert(run.roles.begin(), Role{"scheduler", 1, Placement::shared});
    run.roles.push_back(Role{"chief", 2, Placement::own});
    CHECK(run.processes() == 10);
    CHECK(run.allNodes() == 5); // two servers on one, one on the next; both chiefs on the last
    CHECK(run.processesPerNode() == 3);
    jobs::AttemptPlace place{1, "/tmp/x"};
    place.hosts = {"a", "b", "c", "d", "e"};
    const jobs::SitePaths paths{"/root", "/bin/ringside-agent"};
    const jobs::Processes processes{plan, run, paths, place, jobs::programOf(run.settings)};
    CHECK(jobs::joined(processes.hosts()) == "a,a,b,b,a,c,c,d,e,e");
}

TEST_CASE("processes that share the ranks' nodes are spread over them, whatever their roles")
{
    CampaignPlan plan = servedPlan(1, Placement::shared);
    RunSpec& run = plan.runs[0];
    run.roles.insert(run.roles.begin(), Role{"scheduler", 1, Placement::shared});
    CHECK(run.processesPerNode() == 3); // two ranks, and a scheduler or a server
    jobs::AttemptPlace place{1, "/tmp/x"};
    place.hosts = {"a", "b"};
    const jobs::SitePaths paths{"/root", "/bin/ringside-agent"};
    const jobs::Processes processes{plan, run, paths, place, jobs::programOf(run.settings)};
    CHECK(jobs::joined(processes.hosts()) == "a,a,b,b,a,b");
}

TEST_CASE("the setting engine names the program, and what it is said to be is its own")
{
    CHECK(jobs::programOf({}).name() == "ringside");
    CHECK(jobs::programOf({{"engine", std::string("from a later version")}}).name() == "ringside");
    const jobs::Program& calibration = jobs::programOf({{"engine", std::string("calibration")}});
    CHECK_FALSE(calibration.trains());
    AggregationPlan served;
    served.collective = Collective::parameterServer;
    served.servers = 2;
    CHECK(jobs::programOf({}).roles(served) == std::vector{Role{kServerRole, 2, Placement::shared}});
    CHECK(calibration.roles(served).empty());
    for (const jobs::Program* worker : {&jobs::programOf({}), &calibration}) {
        CHECK(worker->meaningOf(exitcode::kData).cause == Cause::data);
        CHECK(worker->meaningOf(exitcode::kPeerLost).followsAnother);
        CHECK(worker->meaningOf(77).cause == Cause::crashed);
    }
}

TEST_CASE("on this computer servers are more processes of one mpirun")
{
    const auto plan = servedPlan(2, Placement::shared);
    const jobs::AttemptPlace place{1, "/tmp/x"};
    const std::string text = line(*jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place));
    CHECK(text.starts_with("mpirun -np 6 "));
    CHECK(count(text, "ringside-agent") == 1);
}

TEST_CASE("over hosts mpirun starts servers as a second program, so that their ranks follow")
{
    auto plan = servedPlan(3, Placement::shared);
    jobs::AttemptPlace place{1, "/tmp/x"};
    place.hosts = {"a", "b"};
    const auto text = [&] {
        return line(*jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place));
    };
    CHECK(count(text(), "-np 4 --host a:2,b:2 -x RINGSIDE_ATTEMPT ") == 1);
    CHECK(count(text(), " : -np 3 --host a:2,b:1 -x RINGSIDE_ATTEMPT /bin/ringside-agent rank ") == 1);
    CHECK(count(text(), "/opt/ringside worker train ") == 2);
    plan.runs[0].roles[0].placement = Placement::own;
    place.hosts = {"a", "b", "c", "d"};
    CHECK(count(text(), "-np 4 --host a:2,b:2 ") == 1);
    CHECK(count(text(), " : -np 3 --host c:2,d:1 ") == 1);
    plan.runs[0].roles.clear();
    place.hosts = {"a", "b"};
    CHECK(count(text(), " : ") == 0);
}

TEST_CASE("ranks of srun keep PMIx's data out of shared memory, where its default sometimes ends them at the start")
{
    CampaignPlan plan = planOf({4});
    plan.launcher = "srun";
    plan.runs[0].settings["cores_per_rank"] = std::int64_t{3};
    jobs::AttemptPlace place;
    place.hosts = {"a"};
    const auto command = *jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place);
    CHECK(command.arguments.front() == "srun");
    CHECK(command.environment.at("PMIX_MCA_gds") == "hash");
    CHECK(contains(command.arguments, "--cpus-per-task=3")); // the run's own, whatever the job's is
}

TEST_CASE("waiting ranks yield their cores where threads outnumber them")
{
    CampaignPlan plan = planOf({4});
    jobs::AttemptPlace place{1, "/tmp/x"};
    place.cores = 16;
    const auto yields = [&] {
        const auto command = *jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place);
        return contains(command.arguments, "mpi_yield_when_idle") ||
               command.environment.contains("OMPI_MCA_mpi_yield_when_idle");
    };
    for (const char* version : {"mpirun (Open MPI) 4.1.4\n", "mpirun (Open MPI) 5.0.11\n", "srun"})
        for (const std::vector<std::string>& hosts : {std::vector<std::string>{}, {"a"}}) {
            const bool bySrun = version == std::string("srun");
            if (bySrun && hosts.empty())
                continue;
            plan.launcher = bySrun ? "srun" : "mpirun";
            place.mpirunVersion = bySrun ? "" : version;
            place.hosts = hosts;
            const auto yieldsWith = [&](const char* device, std::int64_t cores) {
                plan.runs[0].settings["device"] = std::string(device);
                plan.runs[0].settings["cores_per_rank"] = cores;
                return yields();
            };
            CHECK(yieldsWith("cpu", 4));
            CHECK_FALSE(yieldsWith("cuda", 4));
            CHECK(yieldsWith("cuda", 1));
            CHECK(yieldsWith("cuda", 5)); // more than there are
        }
}

TEST_CASE("without MPI the agent starts ranks here and, by ssh, on named hosts; in a job its scheduler's launcher does")
{
    CampaignPlan plan = planOf({4, 1});
    plan.launcher = "direct";
    plan.runs[0].settings["nodes"] = std::int64_t{2};
    jobs::AttemptPlace place{1, "/tmp/x"};
    const auto command = [&](std::size_t run) {
        return *jobs::attemptCommand(plan, plan.runs[run], {"/root", "/bin/ringside-agent"}, place);
    };
    const auto text = [&](std::size_t run) { return line(command(run)); };
    CHECK(text(0).starts_with("/bin/ringside-agent ranks --attempt /root/runs/"));
    CHECK(count(text(0), " --control /tmp/x/control --ranks 4 -- ") == 1);
    CHECK(count(text(1), " rank --attempt ") == 1); // a single rank needs no guard
    CHECK(count(text(1), "--ranks") == 0);
    CHECK(command(0).program.empty());
    place.hosts = {"a", "b"};
    CHECK(count(text(0), " ranks --attempt ") == 1);
    CHECK(count(text(0), " --host a --host a --host b --host b -- ") == 1);
    CHECK(command(0).program == "ssh");
    place.hosts = {"b"};
    CHECK(count(text(1), " ranks --attempt ") == 1); // on another host even a single one does
    CHECK(count(text(1), " --ranks 1 --host b -- ") == 1);
    place.hosts = {"a", "b"};
    place.scheduler = jobs::schedulerNamed("slurm");
    CHECK(text(0).starts_with("srun --mpi=none --nodes=2 --nodelist=a,b --ntasks=4 "));
    CHECK(count(text(0), " rank --attempt ") == 1);
    CHECK(count(text(0), " --ranks 4 -- ") == 1);
    CHECK(command(0).program == "srun");
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        for (const auto word : {scheduler->launcher(), scheduler->launcherWithoutMpi()})
            CHECK(jobs::launcherFor(word, place) != nullptr);
}

TEST_CASE("a scheduler's own launchers are among all, start processes in its jobs alone, and one is for any PMI")
{
    for (const jobs::Scheduler* scheduler : jobs::schedulers()) {
        for (const jobs::Launcher* own : scheduler->launchers()) {
            CHECK(jobs::launcherFor(own->name(), {})->needsJob());
            CHECK(std::ranges::count(jobs::launchers(), own) == 1);
        }
        if (scheduler->launchers().empty())
            continue;
        CHECK(jobs::dependsOnMpi(scheduler->launcher()));
        CHECK_FALSE(jobs::dependsOnMpi(scheduler->launcherWithoutMpi()));
        for (const jobs::Launcher* launcher : jobs::launchers())
            CHECK(std::ranges::count(scheduler->launchers(), launcher->pmi(), &jobs::Launcher::pmi) == 1);
    }
}

TEST_CASE("the words are those of the MPI that is there")
{
    auto plan = servedPlan(3, Placement::shared);
    jobs::AttemptPlace place{1, "/tmp/x"};
    const auto command = [&] {
        return *jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place);
    };
    const auto start = [&](const char* version, std::vector<std::string> hosts) {
        place.mpirunVersion = version;
        place.hosts = std::move(hosts);
        const std::string text = line(command());
        return text.substr(0, text.find("/bin/ringside-agent"));
    };
    constexpr const char* kFive = "mpirun (Open MPI) 5.0.11\n";
    constexpr const char* kMpich = "HYDRA build details:\n    Version:    5.0.2\n";
    constexpr const char* kIntel = "Intel(R) MPI Library for Linux* OS, Version 2021.19.0\n";
    constexpr const char* kPals = "mpiexec version 1.2.12\n";
    CHECK(start("mpirun (Open MPI) 4.1.4\n", {}) == start("", {}));
    CHECK(start("", {}).find("plm isolated") != std::string::npos);
    CHECK(start(kFive, {}).starts_with("mpirun -np 7 --map-by slot:OVERSUBSCRIBE --bind-to none "));
    CHECK(start(kFive, {}).find("vader") == std::string::npos);
    CHECK(start(kFive, {"a", "b"}).find(" -np 4 --host a:2,b:2 -x RINGSIDE_ATTEMPT ") != std::string::npos);
    CHECK(start(kMpich, {}) == "mpirun -n 7 -bind-to none ");
    const std::string file = (layout::attemptFolder("/root", plan.runs[0].id, 1) / "hosts").string();
    CHECK(start(kMpich, {"a", "b"}) == "mpirun -f " + file + " -n 7 -bind-to none ");
    CHECK(command().hostsFile == file);
    CHECK(command().hostsText == "a:2\nb:2\na:1\nb:1\na:1\n");                // the servers go round the nodes
    CHECK(command().environment.contains("MPIR_CVAR_CH4_PROGRESS_THROTTLE")); // on no core
    place.cores = 7;
    CHECK_FALSE(command().environment.contains("MPIR_CVAR_CH4_PROGRESS_THROTTLE"));
    CHECK(start(kIntel, {"a", "b"}) == "mpirun -f " + file + " -n 7 ");
    CHECK(command().environment.at("I_MPI_PIN") == "off");
    CHECK(count(line(command()), " /bin/ringside-agent apart -- /bin/ringside-agent rank --attempt ") == 1);
    place = {1, "/tmp/x"};
    place.hosts = {"a", "b"};
    place.mpirunVersion = kPals;
    CHECK(jobs::attemptCommand(plan, plan.runs[0], {}, place).error() ==
          because(why::kRoleNotPlaced, {{"launcher", "pals"}, {"role", "server"}}));
    plan.runs[0].roles.clear();
    CHECK(start(kPals, {"a", "b"}) == "mpiexec --envall --np 4 --ppn 2 --hosts a,b --cpu-bind none --mem-bind none ");
    plan.launcher = "srun";
    CHECK(start("", {"a", "b"}).starts_with("srun --mpi=pmix "));
    CHECK(start(kMpich, {"a", "b"}).starts_with("srun --mpi=pmi2 "));
    plan.launcher = "srun-cray";
    CHECK(start(kMpich, {"a", "b"}).starts_with("srun --mpi=cray_shasta "));
    plan.launcher = "jsrun";
    CHECK(jobs::attemptCommand(plan, plan.runs[0], {}, place).error() ==
          because(why::kUnknownLauncher, {{"launcher", "jsrun"}}));
}

TEST_CASE("srun learns from a file which process runs where")
{
    auto plan = servedPlan(3, Placement::shared);
    plan.launcher = "srun";
    jobs::AttemptPlace place{1, "/tmp/x"};
    place.hosts = {"a", "b"};
    const auto command = [&] {
        return *jobs::attemptCommand(plan, plan.runs[0], {"/root", "/bin/ringside-agent"}, place);
    };
    CHECK(command().hostsText == "a\na\nb\nb\na\nb\na\n");
    CHECK(command().hostsFile == layout::attemptFolder("/root", plan.runs[0].id, 1) / "hosts");
    CHECK(contains(command().arguments, "--nodelist=" + command().hostsFile.string()));
    CHECK(contains(command().arguments, "--ntasks=7"));
    CHECK(contains(command().arguments, "--distribution=arbitrary"));
    plan.runs[0].roles[0].placement = Placement::own;
    place.hosts = {"a", "b", "c", "d"};
    CHECK(command().hostsText == "a\na\nb\nb\nc\nc\nd\n");
    CHECK(contains(command().arguments, "--nodes=4"));
    plan.runs[0].roles.clear();
    CHECK(command().hostsFile.empty());
    CHECK(contains(command().arguments, "--distribution=block"));
    CHECK(contains(command().arguments, "--nodelist=a,b,c,d"));
}

TEST_CASE("the script is valid sh, and running it starts every rank with its words intact")
{
    test::TemporaryFolder folder;
    const fs::path agent = folder / "the agent"; // stands in for ringside-agent: writes down how it was called
    REQUIRE(writeFileAtomically(
        agent, "#!/bin/sh\nfor word; do printf '%s|' \"$word\"; done >> \"$0.log\"\necho \"$TMPDIR\" >> \"$0.log\"\n"));
    ::chmod(agent.c_str(), 0700);
    const auto plan = planOf({1, 1});
    const std::string script = *jobs::localScript(plan, {folder.path(), agent}, {});
    CHECK(script.find("\n# it's a test rm -rf /: 2 runs") != std::string::npos);
    REQUIRE(writeFileAtomically(folder / "script", script));
    REQUIRE(std::system(("sh " + (folder / "script").string()).c_str()) == 0);
    const auto log = readFile(agent.string() + ".log");
    REQUIRE(log);
    for (const auto& run : plan.runs) {
        jobs::AttemptPlace place;
        place.temporaryFolder = "/tmp/ringside-" + run.id.str().substr(0, 8) + "-1";
        std::string expected;
        const auto command = *jobs::attemptCommand(plan, run, {folder.path(), agent}, place);
        for (std::size_t i = 1; i < command.arguments.size(); ++i)
            expected += command.arguments[i] + "|";
        CHECK(log->find(expected + place.temporaryFolder.string()) != std::string::npos);
        CHECK_FALSE(fs::exists(place.temporaryFolder));
        CHECK(fs::exists(layout::attemptFolder(folder.path(), run.id, 1)));
    }
}
