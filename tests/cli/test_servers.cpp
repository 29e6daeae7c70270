// SPDX-License-Identifier: MIT
// The worker with parameter servers, from the file to the comparison, and what becomes of an attempt that loses one.
#include "core/protocol/reason.h"
#include "tests/cli/clifixture.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLostRankLimit = 30s; ///< the promise to the user

constexpr const char* kPlans = R"([plans.downpour]
collective = { parameter_server = { servers = 2, updates = "asynchronous" } }
grouping = "per_tensor"
schedule = "overlapped"
[plans.mxnet-overlapped]
based_on = "mxnet"
schedule = "overlapped"
[base]
ranks = 1
)";

struct RealWorker : CliFixture
{
    RealWorker() { environment.erase("RINGSIDE_WORKER"); }
};

/// Files of this name in the attempts of the fixture.
std::vector<fs::path> filesNamed(const CliFixture& cli, const std::string& name)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(cli.folder.path()))
        if (entry.path().filename() == name)
            found.push_back(entry.path());
    return found;
}

/// 0 if there is none.
pid_t workerOfRank(const CliFixture& cli, int rank)
{
    const std::string folder = cli.folder.path().string();
    const std::string variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + std::string(1, '\0');
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::error_code gone;
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0 && fs::read_symlink(entry.path() / "exe", gone).filename() == "ringside-worker" &&
            readFile(entry.path() / "cmdline").value_or("").find(folder) != std::string::npos &&
            readFile(entry.path() / "environ").value_or("").find(variable) != std::string::npos)
            return pid;
    }
    return 0;
}

bool hasSamples(const CliFixture& cli)
{
    constexpr std::uintmax_t kSomeSamples = 4096;
    const auto spools = filesNamed(cli, "rank-0.spool");
    std::error_code gone;
    return !spools.empty() && fs::file_size(spools.front(), gone) > kSomeSamples && !gone;
}

std::string hostName()
{
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

} // namespace

TEST_CASE("runs with servers, in step or not, are measured like others, and their servers are processes of the attempt")
{
    const RealWorker cli;
    const std::string factors = "ranks = [1, 2]\nplan = [\"tensorflow-ps\", \"mxnet-overlapped\", \"downpour\"]";
    const Ended ended = cli.run({"run", cli.experiment("served", factors, 1, 12, kPlans)});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json runs = cli.run({"runs", "--json"}).json();
    CHECK(runs.size() == 4);
    for (const Json& run : runs) {
        CAPTURE(run.dump(1));
        CHECK(run["images_per_second"].get<double>() > 0);
        CHECK(std::find(run["flags"].begin(), run["flags"].end(), "incomplete") == run["flags"].end());
        CHECK(run["samples"] == 12 * run["factors"]["ranks"].get<int>());
        const std::size_t processes = run["factors"]["ranks"] == 1 ? 1 : run["factors"]["plan"] == "downpour" ? 4 : 3;
        const Json shown = cli.run({"show", std::to_string(run["number"].get<int>())}).json();
        CHECK(shown["attempts"][0]["facts"]["ranks"].size() == processes);
    }
    CHECK(filesNamed(cli, "rank-2.spool").size() == 3);
    bool saidHowStale = false;
    for (const fs::path& log : filesNamed(cli, "rank-3.log"))
        saidHowStale = readFile(log).value_or("").find("updates old on average") != std::string::npos;
    CHECK(saidHowStale);
    const Json compared = cli.run({"compare", "--experiment", "served", "--show", "speedup", "--json"}).json();
    CHECK(compared["groups"].size() >= 3);
}

TEST_CASE("a killed server or rank ends the attempt within 30 s, is named with its host, and the samples are kept")
{
    for (const int victim : {2, 1}) {
        INFO("rank " << victim);
        const RealWorker cli;
        const std::string factors = "ranks = [2]\nplan = [\"tensorflow-ps\"]";
        const auto program = cli.start({"run", cli.experiment("killed", factors, 1, 10'000'000, "")});
        pid_t pid = 0;
        for (int tries = 0; tries < 600 && (pid == 0 || !hasSamples(cli)); ++tries) {
            std::this_thread::sleep_for(100ms);
            pid = workerOfRank(cli, victim);
        }
        REQUIRE(pid > 0);
        REQUIRE(hasSamples(cli));
        const RunningTime time;
        ::kill(pid, SIGKILL);
        const Ended ended = program->wait();
        CHECK(time.elapsed() < kLostRankLimit);
        CAPTURE(ended.err);
        CHECK(ended.code == 3);
        const Json run = cli.run({"runs", "--json"}).json().at(0);
        CHECK(run["state"] == "failed");
        CHECK(run["reason_code"] == why::kSignal);
        const std::string name = victim == 2 ? "Server 0 (rank 2)" : "Rank 1";
        CHECK(run["reason"] == name + " on " + hostName() + " was ended by signal 9 (Killed) from an unknown source.");
        CHECK(run["samples"].get<int>() > 0);
    }
}
