// SPDX-License-Identifier: MIT
// Logs of kubectl, in which pods stand before the lines.
#include "core/protocol/settings.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using ringside::test::LogFixture;

TEST_CASE_FIXTURE(LogFixture, "pods that print side by side are ranks of one run, and one behind the other runs")
{
    const auto line = [](int pod, int iteration) {
        return fmt::format("[pod/a-{}/m] Iter #{}: 100.0 img/sec per GPU\n", pod, iteration);
    };
    std::string head, together, behind;
    for (int pod = 0; pod < 2; ++pod)
        head += fmt::format("[pod/a-{0}/m] Model: resnet50\n[pod/a-{0}/m] Batch size: 32\n", pod);
    for (int i = 0; i < 20; ++i) {
        together += line(i % 2, i / 2);
        behind += line(i / 10, i % 10);
    }
    const auto previews = preview({write("together.log", head + together)});
    REQUIRE(previews);
    const imports::LogPreview& read = previews->logs.at(0);
    CHECK(read.log.format->name == "horovod");
    REQUIRE(read.runs.size() == 1);
    CHECK(missingIn(read).empty());
    CHECK(read.log.runs[0].lanes.size() == 2);
    CHECK(ringside::integerOf(read.runs[0].settings, "batch_per_rank") == 32);
    CHECK(read.runs[0].figure.itemsPerSecond == doctest::Approx(200));
    CHECK(notes(read, "read as 2 ranks of one run"));

    const auto inTurn = preview({write("behind.log", behind)}, {"ranks=1"});
    REQUIRE(inTurn);
    const imports::LogPreview& tries = inTurn->logs.at(0);
    REQUIRE(tries.runs.size() == 2);
    CHECK(tries.runs[0].figure.itemsPerSecond == doctest::Approx(100));
    CHECK(tries.runs[1].figure.itemsPerSecond == doctest::Approx(100));
    CHECK(notes(tries, "add --timestamps to kubectl logs"));
}
