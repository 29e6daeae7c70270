// SPDX-License-Identifier: MIT
// The systems themselves beside Ringside's engine, as far as this user has installed them: from the file through
// campaign and store to the comparison.
#include "core/base/environment.h"
#include "core/protocol/installedengine.h"
#include "tests/cli/clifixture.h"

#include <csignal>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

struct Framework
{
    std::string name;
    int ranks = 2;                   ///< that it can have on CPUs
    std::vector<std::string> phases; ///< some that its driver tells
    std::string fixed = {};          ///< more of [fixed]
};

const Framework kFrameworks[] = {
    {"pytorch", 2, {"forward", "backward", "comm_exposed", "update"}},
    {"mxnet", 2, {"forward", "backward", "comm_exposed"}, "mxnet.servers = 2\n"},
    {"tensorflow", 2, {"forward", "backward"}},
    {"horovod", 2, {"forward", "backward", "update"}},
    {"keras", 2, {}},
    {"cntk", 2, {}},
    {"singa", 1, {}},
    {"jax", 2, {}},
    {"caffe", 1, {}},
};

/// Has the user's own installations, and nothing else of the user's.
struct FrameworkFixture : CliFixture
{
    FrameworkFixture()
    {
        if (const auto root = dataFolder()) {
            installed = installedEngines(*root);
            fs::create_directories(folder / "data/ringside");
            fs::create_directory_symlink(*root / "engines", folder / "data/ringside/engines");
        }
    }

    bool has(const std::string& name) const
    {
        if (installed.contains(name))
            return true;
        MESSAGE("skipped: no " << name << " is installed here: ringside-cli engine install " << name);
        return false;
    }

    std::map<std::string, InstalledEngine> installed;
};

std::string levels(int ranks)
{
    return ranks > 1 ? "ranks = [1, 2]" : "ranks = [1]";
}

} // namespace

TEST_CASE("each system trains beside Ringside's engine, and is compared with it")
{
    for (const Framework& framework : kFrameworks) {
        CAPTURE(framework.name);
        FrameworkFixture cli;
        if (!cli.has(framework.name))
            continue;
        const std::string file = cli.write(
            "one.toml", "format = 1\nname = \"one\"\n[factors]\nengine = [\"ringside\", \"" + framework.name + "\"]\n" +
                            levels(framework.ranks) +
                            "\n[fixed]\nmodel = \"lenet\"\nbatch_per_rank = 8\nimage_size = 32\n" + framework.fixed +
                            "[runs]\nrepeats = 1\niterations = 12\nwarmup = 2\n[base]\nengine = \"ringside\"\n");
        const Ended ended = cli.run({"run", file});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const Json json = cli.run({"compare", "--experiment", "one", "--show", "phases", "--json"}).json();
        int found = 0;
        for (const Json& group : json["groups"]) {
            if (group["factors"]["engine"] != framework.name)
                continue;
            ++found;
            CAPTURE(group.dump(1));
            CHECK(group["n"] == 1);
            CHECK(group["value"].get<double>() > 0);
            CHECK(group["window"]["iterations"] == 10);
            const std::string version = group["facts"]["system"][0];
            CHECK(version.find(cli.installed[framework.name].version) != std::string::npos);
            for (const std::string& phase : framework.phases)
                if (group["factors"]["ranks"] == 2 || phase != "comm_exposed")
                    CHECK(group["phases"][phase].get<double>() > 0);
        }
        CHECK(found == framework.ranks);
        const Json speedup = cli.run({"compare", "--experiment", "one", "--show", "speedup", "--json"}).json();
        for (const Json& group : speedup["groups"])
            CHECK(group["value"].get<double>() > 0);
    }
}

TEST_CASE("a rank of PyTorch that is killed ends the run within 30 s, and is named")
{
    FrameworkFixture cli;
    if (!cli.has("pytorch"))
        return;
    const std::string file = cli.write(
        "killed.toml", "format = 1\nname = \"killed\"\n[factors]\nengine = [\"pytorch\"]\n[fixed]\nranks = 2\n"
                       "model = \"lenet\"\nbatch_per_rank = 8\nimage_size = 32\n"
                       "[runs]\nrepeats = 1\niterations = 100000\nwarmup = 2\n");
    auto program = cli.start({"run", file});
    pid_t rank = -1;
    for (int tries = 0; tries < 300 && rank < 0; ++tries) {
        usleep(200'000);
        if (const Ended runs = cli.run({"runs", "--experiment", "killed", "--json"});
            runs.code != 0 || runs.json()[0]["samples"] == 0)
            continue;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const int pid = std::atoi(entry.path().filename().c_str());
            const std::string words = pid > 0 ? readFile(entry.path() / "cmdline").value_or("") : "";
            const std::string variables = pid > 0 ? readFile(entry.path() / "environ").value_or("") : "";
            if (words.find("drivers/") != std::string::npos && words.find("pytorch.py") != std::string::npos &&
                words.find(cli.folder.path().string()) != std::string::npos &&
                words.find("ringside-agent") == std::string::npos &&
                variables.find(std::string("\0RANK=1\0", 8)) != std::string::npos)
                rank = pid;
        }
    }
    REQUIRE(rank > 0);
    ::kill(rank, SIGKILL);
    const auto began = std::chrono::steady_clock::now();
    const Ended ended = program->wait();
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(30));
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("Rank 1 on "));
    CHECK(ended.says("signal 9"));
}
