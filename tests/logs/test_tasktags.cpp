// SPDX-License-Identifier: MIT
// Tags of a scheduler's tasks before those of torchrun, which count the ranks of one node.
#include "core/logs/nametags.h"
#include "core/logs/ranktag.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

using namespace ringside::logs;
using ringside::test::lineForm, ringside::test::Rates, ringside::test::ratesIn;

namespace {

LogRun onlyRunOf(std::string_view log)
{
    LogContent content = ringside::test::contentOf(
        {.name = "steps", .title = "Steps", .lines = {lineForm("step {iteration}: {items_per_second} images/s")}}, log);
    REQUIRE(content.runs.size() == 1);
    return std::move(content.runs[0]);
}

/// Two ranks on each of 11 nodes print behind such a tag of torchrun, the node's number as wide as its widest.
std::string logOf(std::string_view torchrun, int perNode)
{
    std::string log;
    for (int step = 1; step <= 5; ++step)
        for (int node = 0; node < 11; ++node)
            for (int rank = 0; rank < 2; ++rank)
                log += fmt::format("{:>2}: [{}{}]:step {}: {} images/s\n", node, torchrun, node * perNode + rank, step,
                                   100 + 2 * node + rank);
    return log;
}

} // namespace

TEST_CASE("the number of a task and that of a rank of its node are one rank's, in the order of tasks")
{
    Rates expected;
    for (int rank = 0; rank < 22; ++rank)
        expected[rank] = 100 + rank;
    CHECK(ratesIn(onlyRunOf(logOf("default", 0))) == expected);
    CHECK(ratesIn(onlyRunOf(logOf("rank", 2))) == expected); // which counts the ranks of all nodes
}

TEST_CASE("a task's number is a tag of its own only before torchrun's")
{
    CHECK(podTag("1: [default0]:Epoch").name == "1");
    CHECK(podTag(" 1: [rank9]:Epoch").length == 4);
    for (const char* line :
         {"1: Epoch", "1: [0] loss", "1: [default]:x", "[default0]:x", ": [default0]:x", "1:[rank0]:x"})
        CHECK(podTag(line).length == 0);
}
