// SPDX-License-Identifier: MIT
#include "core/jobs/partition.h"

#include <doctest/doctest.h>

using namespace ringside::jobs;

TEST_CASE("partitions are read as they were written")
{
    const std::vector<Partition> partitions{
        {"main", true, true, 86'400, 3, 2, 2, 5, 6, 6428, {}},
        {"gpu", false, false, {}, 4, 3, 8, 48, 56, 32'000, {{"", 2}, {"a100", 4}}},
    };
    const ReadPartitions read = partitionsFromJson(partitionsToJson(partitions));
    CHECK(read.isWhole);
    CHECK(read.list == partitions);
}

TEST_CASE("of a partition only the name has to be known")
{
    const ReadPartitions read = partitionsFromJson(R"([{"name": "main", "nodes": 3}, {"nodes": 3}])");
    CHECK(!read.isWhole);
    Partition main;
    main.name = "main";
    main.nodes = 3;
    CHECK(read.list == std::vector{main});
}

TEST_CASE("hostile partitions are passed over, and names are plain text")
{
    for (const char* text : {"", "{]", "7", R"({"name": "main"})", R"([], "more": [])", R"([{"name": 8}])", "[[]]",
                             R"([{"name": "a", "default": 1}])", R"([{"name": "a", "up": "yes"}])",
                             R"([{"name": "a", "nodes": -1}])", R"([{"name": "a", "cores": 1000000001}])",
                             R"([{"name": "a", "memory_mib": 1e999}])", R"([{"name": "a", "max_s": null}])"}) {
        CAPTURE(text);
        CHECK(partitionsFromJson(text).list.empty());
    }
    CHECK(partitionsFromJson(std::string(2u << 20, '[')).list.empty());
    const ReadPartitions read =
        partitionsFromJson(R"([{"name": "a\u001b[2J", "gpus_per_node": {"x\u0007": 4, "odd": "x", "many": 1e99}}])");
    REQUIRE(read.list.size() == 1);
    CHECK(read.list[0].name == "a?[2J");
    CHECK(read.list[0].gpusPerNode == std::map<std::string, int>{{"x?", 4}});
}
