// SPDX-License-Identifier: MIT
// Partitions, lists of hosts and times.
#include "core/jobs/duration.h"
#include "core/jobs/schedulers/slurm/slurm.h"
#include "tests/jobs/schedulers/slurm/recorded.h"

#include <doctest/doctest.h>
#include <random>

using namespace ringside;
using namespace ringside::slurm;
using namespace ringside::jobs;

namespace {

std::string joined(std::string_view list)
{
    const auto hosts = kSlurm.expandHosts(list);
    if (!hosts)
        return "refused";
    std::string text;
    for (const auto& host : *hosts)
        text += (text.empty() ? "" : " ") + host;
    return text;
}

} // namespace

TEST_CASE("partitions as Slurm wrote them")
{
    const auto partitions = kSlurm.parsePartitions(test::recorded("sinfo"));
    REQUIRE(partitions.size() == 2);
    Partition main{"main", true, true, 86'400, 3, 2, 2, 5, 6, 6428, {{"fake", 2}}};
    CHECK(partitions[0] == main);
    CHECK(partitions[1].name == "debug");
    CHECK_FALSE(partitions[1].isDefault);
    CHECK(partitions[1].maxSeconds == 300);
}

TEST_CASE("kinds of nodes in one partition are added up, and GPUs read in all their forms")
{
    const auto partitions = kSlurm.parsePartitions("gpu\x1fup\x1finfinite\x1f"
                                                   "1/2/0/3\x1f"
                                                   "8/16/0/24\x1f"
                                                   "8\x1f"
                                                   "64000\x1fgpu:a100:4(S:0-1),lustre:1\n"
                                                   "gpu\x1fup\x1finfinite\x1f"
                                                   "0/1/0/1\x1f"
                                                   "0/32/0/32\x1f"
                                                   "32+\x1f"
                                                   "32000\x1fgpu:h200:2(S:0,2),gpu:2\n"
                                                   "old\x1f"
                                                   "down\x1f"
                                                   "1:00:00\x1f"
                                                   "0/0/4/4\x1f"
                                                   "0/0/4/4\x1f"
                                                   "1\x1f"
                                                   "500\x1f(null)\n");
    REQUIRE(partitions.size() == 2);
    CHECK(partitions[0] ==
          Partition{"gpu", false, true, {}, 4, 3, 8, 48, 56, 32'000, {{"", 2}, {"a100", 4}, {"h200", 2}}});
    CHECK_FALSE(partitions[1].isUp);
    CHECK(partitions[1].gpusPerNode.empty());
}

TEST_CASE("lists of hosts in Slurm's short form")
{
    CHECK(joined("n[1-3]") == "n1 n2 n3");
    CHECK(joined("n[1,3-4],login") == "n1 n3 n4 login");
    CHECK(joined("node[08-11]") == "node08 node09 node10 node11");
    CHECK(joined("r[1-2]n[1-2]-ib") == "r1n1-ib r1n2-ib r2n1-ib r2n2-ib");
    CHECK(joined("alone") == "alone");
    CHECK(joined("") == "");
    for (const char* bad : {"n[", "n[]", "n[a]", "n[3-1]", "n[1-99999999]", "n[1-2", ",", "n1,,n2", "n[1-1000][1-1000]",
                            "a[1]b[1]c[1]d[1]e[1]"})
        CHECK(joined(bad) == "refused");
}

TEST_CASE("times as Slurm writes them")
{
    CHECK(parseDuration("1-02:03:04") == 93'784);
    CHECK(parseDuration("02:03:04") == 7'384);
    CHECK(parseDuration("0:48") == 48);
    CHECK(parseDuration("7") == 7);
    for (const char* bad :
         {"", "UNLIMITED", "INVALID", "NOT_SET", "1:2:3:4", "-5", "1-", "1:-2", "99999999999999999999"})
        CHECK_FALSE(parseDuration(bad));
    CHECK(formatDuration(60) == "0-00:01:00");
    CHECK(formatDuration(93'784) == "1-02:04:00");
}

TEST_CASE("a cluster's name is read from all that is configured")
{
    const std::string before = "Configuration data as of 2026-11-21T10:00:00\nAccountingStorageBackupHost = (null)\n";
    CHECK(kSlurm.parseCluster(before + "ClusterName             = alder\nCommunicationParameters = (null)\n") ==
          "alder");
    CHECK(kSlurm.parseCluster(before + "ClusterNames            = alder\nNote = ClusterName = alder\n").empty());
    CHECK(kSlurm.parseCluster("").empty());
}

TEST_CASE("a limit is read as sbatch reads it")
{
    CHECK(parseTimeLimit("90") == 5'400);
    CHECK(parseTimeLimit("90:30") == 5'430);
    CHECK(parseTimeLimit("2:00:00") == 7'200);
    CHECK(parseTimeLimit("1-12") == 129'600);
    CHECK(parseTimeLimit("1-12:30") == 131'400);
    CHECK(parseTimeLimit("1-12:30:01") == 131'401);
    for (const char* bad :
         {"", "UNLIMITED", "1:2:3:4", "1-2:3:4:5", "-5", "1-", "-", "1:", "1:-2", "1d", "99999999999999999999"})
        CHECK_FALSE(parseTimeLimit(bad));
}

TEST_CASE("hostile text is read without harm")
{
    std::mt19937 random(6);
    const std::string seed = test::recorded("sinfo") + "n[1-3,5],r[01-2]x[7]";
    for (int round = 0; round < 2'000; ++round) {
        std::string text = seed.substr(random() % seed.size());
        for (int change = 0; change < 10; ++change)
            text[random() % text.size()] = static_cast<char>(random());
        for (const auto& partition : kSlurm.parsePartitions(text))
            CHECK_FALSE(partition.name.empty());
        (void)kSlurm.expandHosts(text);
        (void)kSlurm.parseCluster(text);
        (void)parseDuration(text);
        (void)parseTimeLimit(text);
    }
}
