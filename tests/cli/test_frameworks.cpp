// SPDX-License-Identifier: MIT
// The systems themselves beside Ringside's engine, as far as this user has installed them: from the file through
// campaign and store to the comparison.
#include "tests/cli/clifixture.h"
#include "tests/cli/testedengines.h"
#include "tests/support/runningtime.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <csignal>
#include <sstream>

using namespace ringside;
using namespace ringside::test;

namespace {

struct Framework
{
    std::string name;
    int ranks = 2;                   ///< that it can have on CPUs
    std::vector<std::string> phases; ///< some that its driver reports
    std::string fixed = {};          ///< more of [fixed]
};

constexpr const char* kParameterServer = "tensorflow.strategy = \"parameter_server\"\n";

const Framework kFrameworks[] = {
    {"pytorch", 2, {"forward", "backward", "comm_exposed", "update"}},
    {"mxnet", 2, {"forward", "backward", "comm_exposed"}, "mxnet.servers = 2\n"},
    {"mxnet", 2, {"forward", "backward", "comm_exposed"}},
    {"tensorflow", 2, {"forward", "backward"}},
    {"tensorflow", 2, {}, kParameterServer},
    {"horovod", 2, {"forward", "backward", "update"}},
    {"horovod-mxnet", 2, {"forward", "backward", "comm_exposed", "update"}},
    {"keras", 2, {}},
    {"cntk", 2, {}},
    {"cntk", 2, {}, "cntk.quantization_bits = \"1\"\n"},
    {"singa", 1, {}},
    {"jax", 2, {}},
    {"caffe", 1, {}},
};

/// The process to kill, found by something in its environment, and its name in the run's end.
struct Victim
{
    std::string framework, variable, named;
    std::string fixed = {}; ///< more of [fixed]
};

const Victim kVictims[] = {{"pytorch", "\nRANK=1\n", "Rank 1 on "},
                           {"mxnet", "\nDMLC_ROLE=worker\n", "Rank "},
                           {"mxnet", "\nDMLC_ROLE=server\n", "Server "},
                           {"tensorflow", R"("type":"worker","index":1)", "Rank 1 on ", kParameterServer},
                           {"tensorflow", R"("type":"chief")", "Chief ", kParameterServer},
                           {"tensorflow", R"("type":"ps")", "Ps ", kParameterServer}};

/// Has the user's own installations, those of tests/frameworks.sh, and nothing else of the user's.
struct FrameworkFixture : CliFixture
{
    FrameworkFixture()
    {
        fs::create_directories(folder / "data/ringside/engines");
        for (const auto& [name, engine] : installed)
            fs::create_directory_symlink(engine.folder, folder / "data/ringside/engines" / name);
    }

    bool has(const std::string& name) const
    {
        if (installed.contains(name))
            return true;
        MESSAGE("skipped: no " << name << " is installed here: ringside-cli engine install " << name);
        return false;
    }

    /// The processes of the run's system whose environment, a line a variable, holds `text`.
    std::vector<pid_t> driversWith(const std::string& text) const
    {
        std::vector<pid_t> found;
        for (const pid_t pid : processes()) {
            const fs::path about = fs::path("/proc") / std::to_string(pid);
            const std::string words = readFile(about / "cmdline").value_or("");
            std::string variables = '\0' + readFile(about / "environ").value_or("");
            std::ranges::replace(variables, '\0', '\n');
            if (words.find("/drivers/") != words.npos && words.find("ringside-agent") == words.npos &&
                variables.find(text) != variables.npos)
                found.push_back(pid);
        }
        return found;
    }

    /// Runs the experiment, and kills the first process that driversWith(variable) finds, once there are samples.
    /// Returns how the command ended: it has to fail within 30 s and leave no process behind.
    Ended killWhileTraining(const std::string& file, const std::string& experiment, const std::string& variable)
    {
        const auto running = start({"run", file});
        REQUIRE(eventually(std::chrono::seconds(60), [&] {
            const Ended runs = run({"runs", "--experiment", experiment, "--json"});
            return runs.code == 0 && runs.json()[0]["samples"] > 0;
        }));
        const std::vector<pid_t> found = driversWith(variable);
        REQUIRE_FALSE(found.empty());
        ::kill(found.front(), SIGKILL);
        const RunningTime time;
        Ended ended = running->wait();
        CAPTURE(ended.err);
        CHECK(time.elapsed() < std::chrono::seconds(30));
        CHECK(ended.code == 3);
        CHECK(eventually(std::chrono::seconds(10), [&] { return driversWith("").empty(); }));
        return ended;
    }

    InstalledEngines installed = enginesForTests();
};

/// The user has the table of core/adapters/README.md by which torchrun starts the ranks of a node.
struct TorchrunFixture : FrameworkFixture
{
    TorchrunFixture()
    {
        const fs::path tables = folder / "config/ringside/adapters";
        fs::create_directories(tables);
        REQUIRE(writeFileAtomically(tables / "torchrun.toml", documentedTable()));
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
        if (const auto pytorch = installed.find("pytorch"); pytorch != installed.end())
            fs::create_directory_symlink(pytorch->second.folder, folder / "data/ringside/engines/torchrun");
    }

    /// The indented lines of its section.
    static std::string documentedTable()
    {
        const std::string page = readFile(sourceFolder() / "core/adapters/README.md").value();
        std::istringstream lines(page.substr(page.find("\n### Its own launcher\n") + 1));
        std::string table;
        for (std::string line; std::getline(lines, line) && (table.empty() || line.starts_with("    "));)
            if (line.starts_with("    "))
                table += line.substr(4) + "\n";
        return table;
    }

    std::string experimentOf(const std::string& factors, int iterations) const
    {
        return write("launched.toml",
                     "format = 1\nname = \"launched\"\n[factors]\n" + factors +
                         "\n[fixed]\nmodel = \"lenet\"\nbatch_per_rank = 8\nimage_size = 32\n[runs]\nrepeats = 1\n"
                         "iterations = " +
                         std::to_string(iterations) + "\nwarmup = 2\n");
    }
};

/// As torchrun's documentation writes a script, with what it says of the environment, and our three lines.
constexpr const char* kForTorchrun = R"(import os
import torch
import torch.distributed as dist
import ringside_records

for name in ("GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_NAME", "ROLE_RANK", "ROLE_WORLD_SIZE", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT",
             "TORCHELASTIC_MAX_RESTARTS"):
    os.environ[name]
assert dist.is_torchelastic_launched()
dist.init_process_group("gloo")
assert (dist.get_rank(), dist.get_world_size()) == (int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"]))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
records = ringside_records.Records(items=8)
for _ in range(12):
    loss = model(torch.ones(8, 4)).sum()
    loss.backward()
    records.iteration(loss.item())
dist.destroy_process_group()
)";

std::string levels(int ranks)
{
    return ranks > 1 ? "ranks = [1, 2]" : "ranks = [1]";
}

/// Returns the losses of the last run in a store, in their order.
std::vector<double> lossesIn(const fs::path& file)
{
    SQLite::Database store(file.string());
    SQLite::Statement losses(store, "SELECT loss FROM v_samples ORDER BY rank, seq");
    std::vector<double> found;
    while (losses.executeStep())
        found.push_back(losses.getColumn(0).getDouble());
    return found;
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
        CHECK(eventually(std::chrono::seconds(10), [&] { return cli.driversWith("").empty(); }));
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

TEST_CASE("a run's seed decides its weights, whatever the system")
{
    for (const Framework& framework : kFrameworks) {
        CAPTURE(framework.name);
        FrameworkFixture cli;
        if (framework.fixed == kParameterServer || !cli.has(framework.name))
            continue;
        const std::string file =
            cli.write("seed.toml", "format = 1\nname = \"seed\"\n[factors]\nengine = [\"" + framework.name +
                                       "\"]\n[fixed]\nranks = 1\nmodel = \"lenet\"\n"
                                       "batch_per_rank = 8\nimage_size = 32\ndropout = 0.0\n"
                                       "[runs]\nrepeats = 1\niterations = 5\nwarmup = 1\n");
        std::vector<std::vector<double>> losses;
        for (const char* name : {"first.db", "second.db"}) {
            const fs::path store = cli.folder / name;
            const Ended ended = cli.run({"run", file, "--store", store.string()});
            CAPTURE(ended.err);
            REQUIRE(ended.code == 0);
            losses.push_back(lossesIn(store));
        }
        REQUIRE(losses[0].size() == losses[1].size());
        REQUIRE_FALSE(losses[0].empty());
        CHECK(losses[0].front() > 0.1); // reported, and of a model that has not learnt
        CHECK(losses[0].front() == doctest::Approx(losses[1].front()).epsilon(1e-5));
    }
}

TEST_CASE("a script that was written for torchrun runs as it is, on one rank, too")
{
    FrameworkFixture cli;
    if (!cli.has("pytorch"))
        return;
    const std::string file =
        cli.write("torchrun.toml", "format = 1\nname = \"torchrun\"\n[factors]\nranks = [1, 2]\n[fixed]\n"
                                   "engine = \"pytorch\"\npytorch.script = \"" +
                                       cli.write("train.py", kForTorchrun) +
                                       "\"\nmodel = \"lenet\"\nbatch_per_rank = 8\n"
                                       "[runs]\nrepeats = 1\niterations = 12\nwarmup = 2\n");
    const Ended ended = cli.run({"run", file});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json runs = cli.run({"runs", "--experiment", "torchrun", "--json"}).json();
    REQUIRE(runs.size() == 2);
    CHECK(runs[0]["samples"] == 12);
    CHECK(runs[1]["samples"] == 24);
}

TEST_CASE_FIXTURE(TorchrunFixture, "torchrun itself starts the ranks of a node, and is compared with Ringside's engine")
{
    if (!has("pytorch"))
        return;
    const Ended ended = run({"run", experimentOf("engine = [\"ringside\", \"torchrun\"]\nranks = [1, 2]", 12)});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(eventually(std::chrono::seconds(10), [&] { return driversWith("").empty(); }));
    const Json json = run({"compare", "--experiment", "launched", "--show", "phases", "--json"}).json();
    int found = 0;
    for (const Json& group : json["groups"]) {
        CAPTURE(group.dump(1));
        CHECK(group["n"] == 1);
        CHECK(group["value"].get<double>() > 0);
        CHECK(group["window"]["iterations"] == 10);
        if (group["factors"]["engine"] != "torchrun")
            continue;
        ++found;
        CHECK(group["used"]["processes"] == 1);
    }
    CHECK(found == 2);
    const Json runs = run({"runs", "--experiment", "launched", "--json"}).json();
    CHECK(std::ranges::count(runs, 12, [](const Json& each) { return each["samples"].get<int>(); }) == 3);
    CHECK(runs.dump().find("incomplete") == std::string::npos);
}

TEST_CASE_FIXTURE(TorchrunFixture, "a rank of torchrun's that is killed ends the run within 30 s, and is named")
{
    if (!has("pytorch"))
        return;
    const std::string file = experimentOf("engine = [\"torchrun\"]\nranks = [2]", 100'000);
    const Ended ended = killWhileTraining(file, "launched", "\nRANK=1\n");
    CAPTURE(ended.err);
    CHECK(ended.says("rank: 1 (local_rank: 1) exitcode: -9"));
}

TEST_CASE("a process of a system that is killed ends the run within 30 s, and is named")
{
    for (const Victim& victim : kVictims) {
        CAPTURE(victim.variable);
        FrameworkFixture cli;
        if (!cli.has(victim.framework))
            continue;
        const std::string file =
            cli.write("killed.toml", "format = 1\nname = \"killed\"\n[factors]\nengine = [\"" + victim.framework +
                                         "\"]\n[fixed]\nranks = 2\nmodel = \"lenet\"\nbatch_per_rank = 8\n"
                                         "image_size = 32\n" +
                                         victim.fixed + "[runs]\nrepeats = 1\niterations = 100000\nwarmup = 2\n");
        const Ended ended = cli.killWhileTraining(file, "killed", victim.variable);
        CAPTURE(ended.err);
        CHECK(ended.says(victim.named));
        CHECK(ended.says("signal 9"));
    }
}
