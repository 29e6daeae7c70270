// SPDX-License-Identifier: MIT
// The systems themselves on two nodes of the demo cluster, by ringside-cli, from the file to the comparison. The nodes
// do not see this user's home: what is installed there is copied to where they do.
#include "agent/runner/command.h"
#include "core/base/clock.h"
#include "core/jobs/processes.h"
#include "core/protocol/journal.h"
#include "core/protocol/layout.h"
#include "core/sites/sitebook.h"
#include "tests/cli/clifixture.h"
#include "tests/cli/testedengines.h"
#include "tests/relay/democluster.h"

#include <chrono>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kSystems[] = {"mxnet", "pytorch", "tensorflow", "horovod"};
constexpr std::chrono::milliseconds kCopyLimit{300'000};

/// Two nodes by Slurm, or as hosts that ssh reaches.
struct NodesFixture : CliFixture
{
    explicit NodesFixture(bool bySlurm)
    {
        const InstalledEngines installed = enginesForTests();
        for (const std::string system : kSystems) { // as doctest prints it
            if (installed.contains(system))
                systems.emplace_back(system);
            else
                MESSAGE("skipped: no " << system << " is installed here: ringside-cli engine install " << system);
        }
        cluster = DemoCluster::get();
        if (!cluster)
            return;
        describe(bySlurm);
        for (const std::string& system : systems)
            install(system, installed.at(system));
    }

    ~NodesFixture()
    {
        if (cluster)
            cluster->on("login", {"scancel", "--user=ringside-demo"});
    }

    void describe(bool bySlurm)
    {
        const std::string name = "nodes-" + folder.path().filename().string();
        root = cluster->home() / name;
        ringside::Site site;
        site.name = site.host = "demo";
        site.sshConfig = cluster->sshConfig();
        site.root = (fs::path(DemoCluster::kHome) / name).string();
        site.worker = std::string(DemoCluster::kHome) + "/bin/testworker";
        site.scheduler = bySlurm ? "slurm" : std::string(kNoScheduler);
        if (!bySlurm)
            site.hosts = {"n1", "n2"};
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
        REQUIRE(SiteBook(folder / "config/ringside/sites").save(site));
    }

    /// Copied once for all cases, since some have gigabytes.
    void install(const std::string& system, const InstalledEngine& engine)
    {
        const fs::path seenAs = fs::path(DemoCluster::kShared) / system;
        if (const fs::path copy = cluster->shared() / system; !fs::exists(copy)) {
            fs::create_directory(copy);
            const std::vector<std::string> command{"/usr/bin/python3", sourceFolder() / "tests/frameworks/carry.py",
                                                   engine.python, copy, seenAs};
            REQUIRE(runner::outputOf(command, runner::ask(command, {kCopyLimit})));
        }
        const fs::path there = layout::enginesFolder(root) / system;
        fs::create_directories(there);
        REQUIRE(writeInstalledEngine(
            there,
            {engine.version, seenAs / "environment/bin/python", {}, {}, {{"LD_LIBRARY_PATH", seenAs / "base/lib"}}}));
        cluster->on("login", {"chown", "-R", "ringside-demo:", fs::path(DemoCluster::kHome) / root.filename(), seenAs});
    }

    std::string experimentOf(const std::string& name, const std::string& engines, int repeats, int iterations) const
    {
        return write(name + ".toml", "format = 1\nname = \"" + name + "\"\n[factors]\nengine = " + engines +
                                         "\n[fixed]\nranks = 2\nnodes = 2\n"
                                         "model = \"lenet\"\nbatch_per_rank = 8\nimage_size = 32\nmxnet.servers = 1\n"
                                         "[runs]\nrepeats = " +
                                         std::to_string(repeats) +
                                         "\nwarmup = 2\niterations = " + std::to_string(iterations) + "\n");
    }

    /// The numbers of the system's processes on a node.
    std::vector<std::string> processesOn(const std::string& node, const std::string& role) const
    {
        std::vector<std::string> found;
        for (const std::string& pid : jobs::wordsOf(cluster->on(node, {"pgrep", "--full", "[m]xnet_driver.py"})))
            if (cluster->on(node, {"grep", "-zx", "DMLC_ROLE=" + role, "/proc/" + pid + "/environ"}).size() > 1)
                found.push_back(pid);
        return found;
    }

    /// Returns when the only attempt ended, by the journal of its campaign.
    std::optional<std::int64_t> endOfAttempt() const
    {
        std::optional<std::int64_t> atNs;
        for (const auto& campaign : fs::directory_iterator(layout::campaignsFolder(root))) {
            JournalReader reader;
            REQUIRE(reader.feed(readFile(layout::journalFile(campaign.path())).value_or(""),
                                [&](const JournalEvent& event) {
                                    if (event.kind == JournalKind::attemptEnded)
                                        atNs = event.wallNs;
                                }));
        }
        return atNs;
    }

    DemoCluster* cluster = nullptr;
    std::vector<std::string> systems; ///< that are installed here
    fs::path root;                    ///< as this machine names it
};

} // namespace

TEST_CASE("systems train on two nodes, and are compared with each other and with Ringside's engine there")
{
    for (const bool bySlurm : {true, false}) {
        CAPTURE(bySlurm);
        NodesFixture cli(bySlurm);
        if (!cli.cluster)
            return;
        std::string engines = R"(["ringside")";
        for (const std::string& system : cli.systems)
            engines += ", \"" + system + '"';
        const int repeats = bySlurm ? 6 : 2; // six are the fewest that have an interval
        const Ended ended = cli.run({"run", cli.experimentOf("nodes", engines + "]", repeats, 12), "--site", "demo"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const Json json = cli.run({"compare", "--experiment", "nodes", "--show", "phases", "--json"}).json();
        REQUIRE(json["groups"].size() == cli.systems.size() + 1);
        for (const Json& group : json["groups"]) {
            CAPTURE(group.dump(1));
            CHECK(group["n"] == repeats);
            CHECK(group["value"].get<double>() > 0);
            CHECK(group["low"].is_null() == !bySlurm);
            if (bySlurm) {
                CHECK(group["low"] <= group["value"]);
                CHECK(group["value"] <= group["high"]);
            }
            if (group["factors"]["engine"] != "ringside")
                CHECK(group["facts"]["system"][0].get<std::string>().find('.') !=
                      std::string::npos); // with its version
            if (group["factors"]["engine"] == "mxnet" || group["factors"]["engine"] == "pytorch")
                CHECK(group["phases"]["comm_exposed"].get<double>() > 0);
        }
        for (const Json& run : cli.run({"runs", "--experiment", "nodes", "--json"}).json())
            for (int rank = 0; rank < 2; ++rank) {
                SpoolReader reader;
                const fs::path attempt =
                    layout::attemptFolder(cli.root, *RunId::parse(run["id"].get<std::string>()), 1);
                REQUIRE(reader.feed(readFile(layout::spoolFile(attempt, rank)).value(), [](const Record&) {}));
                CHECK(reader.header()->host == "n" + std::to_string(rank + 1));
            }
        const std::string figure = (cli.folder / "nodes.pdf").string();
        CHECK(cli.run({"figure", "--experiment", "nodes", "--show", "phases", "--to", figure}).code == 0);
        CHECK(fs::file_size(figure) > 1'000);
        for (const char* node : {"n1", "n2"})
            CHECK(cli.cluster->on(node, {"pgrep", "--full", "_[d]river.py|horovod_[p]ytorch.py"}).empty());
    }
}

TEST_CASE("a server of MXNet that is killed on its node ends the run within 30 s, and is named with it")
{
    NodesFixture cli(true);
    if (!cli.cluster)
        return;
    auto program = cli.start({"run", cli.experimentOf("killed", R"(["mxnet"])", 1, 1'000'000), "--site", "demo"});
    std::string node, server;
    REQUIRE(eventually(120s, [&] {
        for (const char* each : {"n1", "n2"})
            if (const auto found = cli.processesOn(each, "server"); !found.empty())
                node = each, server = found.front();
        return !server.empty() && cli.count("killed", "running") > 0;
    }));
    const std::int64_t killedNs = wallNs(); // the nodes are namespaces of this host, and have its clock
    cli.cluster->on(node, {"kill", "-KILL", server});
    const Ended ended = program->wait();
    CAPTURE(ended.err);
    const auto endedNs = cli.endOfAttempt();
    REQUIRE(endedNs);
    CHECK(std::chrono::nanoseconds(*endedNs - killedNs) < 30s);
    CHECK(ended.code == 3);
    CHECK(ended.says("Server"));
    CHECK(ended.says(" on " + node));
    CHECK(ended.says("signal 9"));
    CHECK(cli.processesOn("n1", "worker").empty());
}
