// SPDX-License-Identifier: MIT
#include "core/sites/findings.h"

#include "core/base/environment.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <iterator>
#include <random>

using namespace ringside;

namespace {

const ProbeValues kCluster = {
    {"cores", "16"},
    {"root", "/home/kim/ringside"},
    {"root_writable", "true"},
    {"root_file_system", "nfs4"},
    {"free_bytes", "52000000000"},
    {"mpirun", "mpirun (Open MPI) 4.1.4\nReport bugs"},
    {"slurm", "slurm 22.05.8"},
    {"partitions", R"([{"name": "main", "nodes": 3, "idle_nodes": 2}, 7, {"name": 8}])"},
};

ProbeFinding findingOf(SiteStep::Kind kind, const ProbeValues& values, const Site& site = {})
{
    for (ProbeFinding& finding : findingsOf(values, site))
        if (finding.kind == kind)
            return finding;
    FAIL("no such finding");
    return {};
}

} // namespace

TEST_CASE("a cluster's probe in words")
{
    CHECK(machineWords(kCluster) == "16 cores");
    CHECK(findingOf(SiteStep::Kind::scheduler, kCluster).text == "slurm 22.05.8: main (3 nodes, 2 idle)");
    CHECK(findingOf(SiteStep::Kind::storage, kCluster).text == "/home/kim/ringside (nfs4), 52.0 GB free");
    CHECK(findingOf(SiteStep::Kind::mpi, kCluster).text == "mpirun (Open MPI) 4.1.4");
    CHECK(!obstacleIn(findingsOf(kCluster, {})));
}

TEST_CASE("what keeps a site from carrying out anything is told from what only limits it")
{
    ProbeValues full = kCluster;
    full["free_bytes"] = "1000000";
    CHECK(findingOf(SiteStep::Kind::storage, full).state == SiteStep::State::warning);
    CHECK(!obstacleIn(findingsOf(full, {})));
    ProbeValues closed = kCluster;
    closed["root_writable"] = "false";
    CHECK(obstacleIn(findingsOf(closed, {})).value().message == "/home/kim/ringside cannot be written.");
    ProbeValues bare = kCluster;
    bare.erase("mpirun");
    bare.erase("slurm");
    CHECK(findingOf(SiteStep::Kind::mpi, bare).state == SiteStep::State::warning);
    CHECK(findingOf(SiteStep::Kind::scheduler, bare).state == SiteStep::State::ok);
    Site site;
    site.scheduler = "slurm";
    CHECK(findingOf(SiteStep::Kind::scheduler, bare, site).state == SiteStep::State::failed);
    site.scheduler = kAutomaticScheduler;
    site.job.partition = "a b"; // for another scheduler's words it may have been taken
    const ProbeFinding refused = findingOf(SiteStep::Kind::scheduler, kCluster, site);
    CHECK(refused.state == SiteStep::State::failed);
    CHECK(refused.text.starts_with("slurm 22.05.8: partition: "));
    CHECK(obstacleIn({refused}).has_value());
}

TEST_CASE("facts of a site are those that were found, as plain text")
{
    ProbeValues values = kCluster;
    values["host"] = "login1";
    values["glibc"] = "glibc 2.17";
    values["gpus"] = "NVIDIA A100, 40960 MiB\nNVIDIA \033[31mA100, 40960 MiB";
    values["memory_bytes"] = "68719476736";
    const std::vector<SiteFact> facts = factsOf(values, {});
    CHECK(facts == std::vector<SiteFact>{{"Host", "login1, glibc 2.17"},
                                         {"Processor", "16 cores, 64 GiB memory"},
                                         {"GPUs", "NVIDIA A100, 40960 MiB, NVIDIA ?[31mA100, 40960 MiB"},
                                         {"Scheduler", "slurm 22.05.8: main (3 nodes, 2 idle)"},
                                         {"MPI", "mpirun (Open MPI) 4.1.4"},
                                         {"Folder", "/home/kim/ringside"}});
}

TEST_CASE("network, quota, modules and the GPUs of nodes are facts where they are known")
{
    ProbeValues values{{"network", "eth0 10000 Mbit/s, mlx5_0 100 Gb/sec (4X EDR)"},
                       {"modules", "/etc/profile.d/lmod.sh"},
                       {"partitions", R"([{"name": "gpu", "nodes": 2, "gpus_per_node": {"a100": 4, "odd": "x"}},
                                          {"name": "cpu", "nodes": 9, "gpus_per_node": {}}, 7])"},
                       {"quota", "Disk quotas for user kim (uid 1000):\n"
                                 "     Filesystem   space   quota   limit   grace   files   quota   limit   grace\n"
                                 "    fs1:/home       123M   1000M   1100M             12       0       0\n"
                                 "    /dev/sdb1      2048K      0K      0K              9       0       0\n"
                                 "    /scratch        1.2T*     0K      1T   6days      9       0       0\n"}};
    Site site;
    site.modules = {"gcc/12", "cuda"};
    const auto textOf = [&](const char* label) {
        for (const SiteFact& fact : factsOf(values, site))
            if (fact.label == label)
                return fact.text;
        return std::string();
    };
    CHECK(textOf("Network") == "eth0 10000 Mbit/s, mlx5_0 100 Gb/sec (4X EDR)");
    CHECK(textOf("Modules") == "/etc/profile.d/lmod.sh, loads gcc/12, cuda");
    CHECK(textOf("GPUs") == "4 × a100 on each node of gpu");
    CHECK(textOf("Quota") == "123M of 1000M on fs1:/home, 1.2T* of 1T on /scratch");
    for (const char* none : {"", "Disk quotas for user kim (uid 1000): none", "quota: cannot open: No such file"}) {
        values["quota"] = none;
        CHECK(textOf("Quota").empty());
    }
}

TEST_CASE("what a compute node is, and what is installed, are facts of a test")
{
    CHECK(nodeFactsOf({{"node", "n2"},
                       {"arch", "x86_64"},
                       {"cores", "8"},
                       {"gpus", "NVIDIA A100, 40960 MiB"},
                       {"network", "ib0 100000 Mbit/s"}}) ==
          std::vector<SiteFact>{{"Compute node", "n2, x86_64"},
                                {"Node's processor", "8 cores"},
                                {"Node's GPUs", "NVIDIA A100, 40960 MiB"},
                                {"Node's network", "ib0 100000 Mbit/s"}});
    CHECK(installedFactsOf({}).empty());
    using wire::ItemKind;
    std::vector<wire::InstalledItem> items(4);
    const ItemKind kinds[] = {ItemKind::run, ItemKind::agent, ItemKind::torch, ItemKind::agent};
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].item.kind = kinds[i];
        items[i].bytes = 1'000'000;
    }
    CHECK(installedFactsOf(items) ==
          std::vector<SiteFact>{{"Installed", "2 agents (2.00 MB), 1 torch (1.00 MB), 1 run (1.00 MB)"}});
}

TEST_CASE("an item is described as its site does, else by its kind")
{
    const auto about = [](wire::ItemKind kind, const std::string& told) {
        wire::InstalledItem item;
        item.item = {kind, "tiny"};
        item.about = told;
        return aboutOf(item);
    };
    CHECK(about(wire::ItemKind::worker, "torch 2.11.0\x1b[31m") == plainText("torch 2.11.0\x1b[31m"));
    CHECK(about(wire::ItemKind::data, "") == "Pictures that runs share");
    CHECK(about(wire::ItemKind::data, "Pictures, as an older agent says") == "Pictures, as an older agent says");
    CHECK(about(wire::ItemKind::engine, "tiny 1.9") == "tiny 1.9");
    CHECK(about(wire::ItemKind::engine, "") == "tiny, not whole");
    CHECK(about(wire::ItemKind::source, "").empty());
}

TEST_CASE("a probe of an unknown machine is no obstacle, whatever it says")
{
    CHECK(!obstacleIn(findingsOf({}, {})));
    CHECK(machineWords({{"cores", "many"}}) == "0 cores");
    const ProbeFinding garbled = findingOf(SiteStep::Kind::scheduler, {{"slurm", "s"}, {"partitions", "{]"}});
    CHECK(garbled.text == "s");
    CHECK(garbled.state == SiteStep::State::warning);
    CHECK(garbled.hint.find("does not read") != std::string::npos);
}

TEST_CASE("a compute node that cannot do what the login node prepares is told from one that can")
{
    const ProbeValues login{{"root", "/home/kim/ringside"}, {"arch", "x86_64"}, {"agent", "/home/kim/ringside/agent"}};
    ProbeValues node{
        {"node", "n2"}, {"arch", "x86_64"}, {"cores", "8"}, {"root_writable", "true"}, {"glibc", "glibc 2.36"}};
    CHECK(nodeFindingOf(node, login).state == SiteStep::State::ok);
    CHECK(nodeFindingOf(node, login).text == "n2: 8 cores, glibc 2.36");
    node["arch"] = "aarch64";
    CHECK(nodeFindingOf(node, login).text == "n2 is aarch64, and the login node is x86_64.");
    node["arch"] = "x86_64";
    node["root_writable"] = "false";
    CHECK(nodeFindingOf(node, login).state == SiteStep::State::failed);
    CHECK(nodeFindingOf(node, login).text == "n2 cannot write /home/kim/ringside.");
    const Error unseen{ErrorCode::unavailable,
                       "srun failed: slurmstepd: error: execve(): /home/kim/ringside/agent: No such file or directory",
                       ""};
    CHECK(nodeFindingOf(unseen, login).text == "Compute nodes do not see /home/kim/ringside/agent.");
    CHECK(nodeFindingOf(unseen, login).hint.find("root") != std::string::npos);
    CHECK(nodeFindingOf(unseen, login).rootIsUnseen);
    const Error foreign{ErrorCode::unavailable,
                        "slurmstepd: error: execve(): /home/kim/ringside/agent: Exec format error", ""};
    CHECK(nodeFindingOf(foreign, login).text ==
          "Compute nodes do not run programs for x86_64, which the login node is.");
    CHECK(nodeFindingOf(foreign, login).hint.find("login node of the same kind") != std::string::npos);
    const Error other{ErrorCode::unavailable, "srun: error: invalid partition specified: gpu",
                      "Choose one that is there."};
    CHECK(nodeFindingOf(other, login).text == other.message);
    CHECK_FALSE(nodeFindingOf(other, login).rootIsUnseen); // a worker may still be built
}

TEST_CASE("nodes with an older system than the login node are warned of: what is built there may need the newer one")
{
    const ProbeValues login{{"root", "/r"}, {"arch", "x86_64"}, {"glibc", "glibc 2.34"}};
    const auto stateOf = [&](const char* glibc) {
        const ProbeValues node{{"node", "n1"}, {"arch", "x86_64"}, {"root_writable", "true"}, {"glibc", glibc}};
        return nodeFindingOf(node, login).state;
    };
    CHECK(stateOf("glibc 2.17") == SiteStep::State::warning);
    CHECK(stateOf("glibc 2.9") == SiteStep::State::warning); // numbers, not text
    for (const char* glibc : {"glibc 2.34", "glibc 2.100", "glibc 3.0", "", "musl 1.2", "glibc x"})
        CHECK(stateOf(glibc) == SiteStep::State::ok);
    const ProbeValues old{{"node", "n1"}, {"arch", "x86_64"}, {"root_writable", "true"}, {"glibc", "glibc 2.17"}};
    CHECK(nodeFindingOf(old, login).text == "n1 has glibc 2.17, the login node glibc 2.34: what is built on the login "
                                            "node may not start there.");
    CHECK_FALSE(obstacleIn({nodeFindingOf(old, login)})); // a worker from elsewhere may well do
}

TEST_CASE("a worker that the site names is judged by what it says of itself")
{
    Site site;
    site.worker = "/opt/ringside-worker";
    const auto given = [&](const ProbeValues& values) { return givenWorkerOf(values, site); };
    CHECK(given({{"worker_features", R"({"models": [], "versions": {"ringside": "99.0.0"}})"}}).state ==
          SiteStep::State::ok);
    const ProbeFinding older = given({{"worker_features", R"({"models": [], "versions": {"ringside": "0.0.9"}})"}});
    CHECK(older.state == SiteStep::State::failed);
    CHECK(older.text.find("is of version 0.0.9") != std::string::npos);
    CHECK(older.hint.find("one is built there") != std::string::npos);
    for (const char* foreign : {"", "hello", "[]", "{}"}) {
        CHECK(given({{"worker_features", foreign}}).state == SiteStep::State::failed);
        CHECK(given({{"worker_features", foreign}}).text == "/opt/ringside-worker is no worker of Ringside.");
    }
    const ProbeValues missing{{"worker_features_error", "/opt/ringside-worker cannot be started: No such file."}};
    CHECK(given(missing).state == SiteStep::State::failed);
    CHECK(given(missing).text.find("cannot be started: No such file.") != std::string::npos);
    site.modules = {"openmpi"};
    CHECK(given(missing).state == SiteStep::State::warning); // its libraries may come with the modules
}

namespace {

/// Makes answers of a probe that no honest site gives.
class Mutations
{
public:
    explicit Mutations(unsigned seed)
        : m_random(seed)
    {
    }

    /// Some values are replaced, others cut or changed by a byte.
    ProbeValues of(ProbeValues values)
    {
        for (auto& [name, value] : values)
            if (upTo(2) == 0)
                value = mutated(value);
        return values;
    }

private:
    std::size_t upTo(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(m_random); }
    std::string anyValue()
    {
        static const std::vector<std::string> kValues = {"\"x\"",
                                                         "-1",
                                                         "1e999",
                                                         "18446744073709551616",
                                                         "99999999999",
                                                         "null",
                                                         "true",
                                                         "[]",
                                                         "{}",
                                                         "1.5",
                                                         "\"\"",
                                                         "[[[1]]]",
                                                         R"({"name": {"a": 1}})",
                                                         std::string(40, '[') + std::string(40, ']'),
                                                         "\"\\u0000\\u001b[2J\""};
        return kValues[upTo(kValues.size() - 1)];
    }
    std::string anyPartition()
    {
        std::string text = "{";
        for (const char* key : {"name", "nodes", "idle_nodes", "gpus_per_node"})
            text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key,
                                upTo(2) == 0   ? anyValue()
                                : upTo(1) == 0 ? "\"gpu\""
                                               : R"({"a100": 4, "odd": "x"})");
        return text + "}";
    }
    std::string mutated(std::string value)
    {
        switch (upTo(4)) {
        case 0:
            return anyValue();
        case 1:
            return fmt::format("[{}, {}]", anyPartition(), anyPartition());
        case 2:
            return value.substr(0, upTo(value.size()));
        case 3:
            return R"({"models": 3, "versions": {"ringside": )" + anyValue() + "}}";
        default:
            if (!value.empty())
                value[upTo(value.size() - 1)] = static_cast<char>(upTo(255));
            return value;
        }
    }

    std::mt19937 m_random;
};

bool isPlain(const std::string& text)
{
    return plainText(text) == text;
}

} // namespace

TEST_CASE("hostile answers of a probe become sentences, whatever is in them")
{
    CHECK(findingOf(SiteStep::Kind::scheduler, {{"slurm", "s"}, {"partitions", R"([{"name": "a", "nodes": "x"}])"}})
              .text == "s");
    ProbeValues honest = kCluster;
    for (const char* name : {"host", "os", "arch", "cpu", "gpus", "network", "cxx", "quota", "modules", "node"})
        honest[name] = "alder";
    honest["glibc"] = "glibc 2.36";
    honest["worker_features"] = R"({"models": [], "versions": {"ringside": "0.1.0"}})";
    honest["partitions_error"] = "";
    Site site;
    site.worker = "/opt/ringside-worker";
    const char* chosen = ringside::environment("RINGSIDE_SEED"); // RINGSIDE_SEED=… does one alone
    const unsigned begin = chosen ? static_cast<unsigned>(std::atoi(chosen)) : 1;
    for (unsigned seed = begin; seed < begin + (chosen ? 1 : 20'000); ++seed) {
        CAPTURE(seed);
        Mutations mutations(seed);
        const ProbeValues values = mutations.of(honest);
        const ProbeValues node = mutations.of(honest);
        std::vector<ProbeFinding> findings = findingsOf(values, site);
        findings.push_back(nodeFindingOf(node, values));
        findings.push_back(givenWorkerOf(values, site));
        const bool arePlain = std::ranges::all_of(
            findings, [](const ProbeFinding& finding) { return isPlain(finding.text) && isPlain(finding.hint); });
        std::vector<SiteFact> facts = factsOf(values, site);
        std::ranges::copy(nodeFactsOf(node), std::back_inserter(facts));
        const bool areFactsPlain =
            std::ranges::all_of(facts, [](const SiteFact& fact) { return isPlain(fact.text) && !fact.text.empty(); });
        REQUIRE((arePlain && areFactsPlain)); // which also can be written as JSON
    }
}
