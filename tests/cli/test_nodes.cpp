// SPDX-License-Identifier: MIT
// A system itself on two nodes of the demo cluster, by ringside-cli, from the file to the comparison. The nodes do not
// see this user's home: what is installed there is put where they do.
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

constexpr const char* kSystem = "mxnet";

/// "lib/python3.11/site-packages" of an environment.
fs::path packagesOf(const fs::path& prefix)
{
    for (const auto& entry : fs::directory_iterator(prefix / "lib"))
        if (entry.path().filename().string().starts_with("python3."))
            return entry.path() / "site-packages";
    return {};
}

/// Two nodes by Slurm, or as hosts that ssh reaches.
struct NodesFixture : CliFixture
{
    explicit NodesFixture(bool bySlurm)
    {
        const InstalledEngines installed = enginesForTests();
        const auto found = installed.find(kSystem);
        if (found == installed.end()) {
            MESSAGE("skipped: no mxnet is installed here: ringside-cli engine install mxnet");
            return;
        }
        cluster = DemoCluster::get();
        if (!cluster)
            return;
        describe(bySlurm);
        install(found->second);
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

    /// For the interpreter that every host has.
    void install(const InstalledEngine& engine)
    {
        const fs::path packages = packagesOf(fs::path(engine.python).parent_path().parent_path());
        const std::string interpreter = "/usr/bin/" + packages.parent_path().filename().string();
        if (!fs::exists(interpreter)) {
            MESSAGE("skipped: the nodes have no " << interpreter);
            cluster = nullptr;
            return;
        }
        if (!fs::exists(cluster->shared() / kSystem))
            fs::copy(packages, cluster->shared() / kSystem,
                     fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        const fs::path there = layout::enginesFolder(root) / kSystem;
        fs::create_directories(there);
        REQUIRE(writeInstalledEngine(there, {engine.version,
                                             interpreter,
                                             {},
                                             {},
                                             {{"PYTHONPATH", std::string(DemoCluster::kShared) + "/" + kSystem}}}));
        cluster->on("login", {"chown", "-R", "ringside-demo:", fs::path(DemoCluster::kHome) / root.filename(),
                              fs::path(DemoCluster::kShared) / kSystem});
    }

    std::string experimentOf(const std::string& name, const std::string& engines, int iterations) const
    {
        return write(name + ".toml", "format = 1\nname = \"" + name + "\"\n[factors]\nengine = " + engines +
                                         "\n[fixed]\nranks = 2\nnodes = 2\n"
                                         "model = \"lenet\"\nbatch_per_rank = 8\nimage_size = 32\nmxnet.servers = 1\n"
                                         "[runs]\nrepeats = 1\nwarmup = 2\niterations = " +
                                         std::to_string(iterations) + "\n");
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

    /// When the only attempt ended, by the journal of its campaign.
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
    fs::path root; ///< as this machine names it
};

} // namespace

TEST_CASE("MXNet trains on two nodes, with a server beside a worker, and is compared with Ringside's engine there")
{
    for (const bool bySlurm : {true, false}) {
        CAPTURE(bySlurm);
        NodesFixture cli(bySlurm);
        if (!cli.cluster)
            return;
        const Ended ended =
            cli.run({"run", cli.experimentOf("nodes", R"(["ringside", "mxnet"])", 12), "--site", "demo"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const Json json = cli.run({"compare", "--experiment", "nodes", "--show", "phases", "--json"}).json();
        REQUIRE(json["groups"].size() == 2);
        for (const Json& group : json["groups"]) {
            CAPTURE(group.dump(1));
            CHECK(group["n"] == 1);
            CHECK(group["value"].get<double>() > 0);
            if (group["factors"]["engine"] == kSystem)
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
        for (const char* node : {"n1", "n2"})
            for (const char* role : {"worker", "server", "scheduler"})
                CHECK(cli.processesOn(node, role).empty());
    }
}

TEST_CASE("a server of MXNet that is killed on its node ends the run within 30 s, and is named with it")
{
    NodesFixture cli(true);
    if (!cli.cluster)
        return;
    auto program = cli.start({"run", cli.experimentOf("killed", R"(["mxnet"])", 1'000'000), "--site", "demo"});
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
