// SPDX-License-Identifier: MIT
#include "core/logs/driverline.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::logs;

namespace {

std::int64_t phase(const Sample& sample, Phase phase)
{
    return sample.phases[static_cast<std::size_t>(phase)];
}

Sample sampleOf(std::string_view line)
{
    const auto read = readDriverLine(line);
    REQUIRE(read);
    REQUIRE(std::holds_alternative<DriverIteration>(*read));
    return std::get<DriverIteration>(*read).sample;
}

} // namespace

TEST_CASE("an iteration has the phases that its line names, and the rest of its length")
{
    const Sample sample = sampleOf("ringside 1 iteration=7 start_ns=1000 length_ns=500 items=32 loss=2.5 "
                                   "input_wait_ns=50 forward_ns=200 update_ns=0");
    CHECK(sample.seq == 7);
    CHECK(sample.startNs == 1000);
    CHECK(sample.lengthNs() == 500);
    CHECK(sample.items == 32);
    CHECK(sample.loss == 2.5f);
    CHECK(phase(sample, Phase::inputWait) == 50);
    CHECK(phase(sample, Phase::forward) == 200);
    CHECK(phase(sample, Phase::other) == 250);
    CHECK(sample.told == PhaseSet{Phase::inputWait, Phase::forward, Phase::update});
}

TEST_CASE("what a line does not state is absent, and not 0")
{
    const Sample sample = sampleOf("ringside 1 iteration=0 start_ns=1 length_ns=9 items=1");
    CHECK(sample.told == PhaseSet{});
    CHECK(phase(sample, Phase::other) == 9);
    CHECK(std::isnan(sample.loss));
}

TEST_CASE("a stated loss that is not a number differs from an absent one")
{
    CHECK(std::isinf(sampleOf("ringside 1 iteration=0 start_ns=1 length_ns=9 items=1 loss=nan").loss));
    CHECK(std::isinf(sampleOf("ringside 1 iteration=0 start_ns=1 length_ns=9 items=1 loss=-inf").loss));
}

TEST_CASE("a beginning has its facts by dotted names")
{
    const auto read = readDriverLine(
        R"(ringside 1 begin rank=1 ranks=2 scope=rank batch=32 pid=4711 {"framework": "pytorch", "libraries": {"mkl": 2024}, "phases": ["forward"]})");
    REQUIRE(read);
    const auto* begin = std::get_if<DriverBegin>(&*read);
    REQUIRE(begin);
    CHECK(begin->rank == 1);
    CHECK(begin->ranks == 2);
    CHECK(begin->items == 32);
    CHECK_FALSE(begin->ofAll);
    CHECK(begin->facts == std::map<std::string, std::string>{
                              {"framework", "pytorch"}, {"libraries.mkl", "2024"}, {"phases", R"(["forward"])"}});
    CHECK(std::get<DriverBegin>(*readDriverLine("ringside 1 begin rank=0 ranks=2 scope=all batch=64 pid=1")).ofAll);
    CHECK(readDriverLine("ringside 1 end iterations=3") == DriverLine(DriverEnd{3}));
}

TEST_CASE("a beginning whose facts cannot be read keeps its numbers, and says that facts are left out")
{
    for (const char* facts :
         {R"({"framework": "pyt)", R"({"clip": Infinity})", R"({"home": "\udce9"})", "{\"home\": \"\xe9\"}"}) {
        CAPTURE(facts);
        const auto read =
            readDriverLine(std::string("ringside 1 begin rank=1 ranks=2 scope=all batch=32 pid=4711 ") + facts);
        REQUIRE(read == DriverLine(DriverBegin{1, 2, 32, true, {{"left_out", "all"}}}));
        CHECK(std::get<DriverBegin>(*read).leavesToLines()); // they may have said so
    }
}

TEST_CASE("a line says which of several ranks it is of")
{
    const auto read = readDriverLine("ringside 1 iteration=7 start_ns=1 length_ns=9 items=32 rank=1 loss=2.5");
    REQUIRE(read);
    const auto* iteration = std::get_if<DriverIteration>(&*read);
    REQUIRE(iteration);
    CHECK(iteration->rank == 1);
    CHECK(iteration->sample.loss == 2.5f);
    CHECK(readDriverLine("ringside 1 end iterations=3 rank=1") == DriverLine(DriverEnd{3, 1}));
}

TEST_CASE("a line that is cut or says what cannot be is none")
{
    const std::string begin = "ringside 1 begin rank=1 ranks=2 scope=rank batch=3";
    for (std::size_t length = 0; length < begin.size(); ++length)
        CHECK_FALSE(readDriverLine(std::string_view(begin).substr(0, length)));
    const std::string iteration = "ringside 1 iteration=7 start_ns=1000 length_ns=500 items=3";
    for (std::size_t length = 0; length < iteration.size(); ++length)
        CHECK_FALSE(readDriverLine(std::string_view(iteration).substr(0, length)));
    for (const char* wrong : {"ringside 1 iteration=1 start_ns=-5 length_ns=9 items=1",
                              "ringside 1 iteration=1 start_ns=1 length_ns=nan items=1",
                              "ringside 1 iteration=1 start_ns=1 length_ns=9 items=1 and more",
                              "ringside 2 iteration=1 start_ns=1 length_ns=9 items=1",
                              "ringside 1 begin rank=2 ranks=2 batch=1", "ringside 1 begin rank=0 ranks=0 batch=1",
                              "ringside 1 end", "ringside 1 begin rank=0 ranks=1 batch=1 and more", "ringside 1 "}) {
        CAPTURE(wrong);
        CHECK_FALSE(readDriverLine(wrong));
    }
}

TEST_CASE("a line is found behind text that has no end")
{
    CHECK(readDriverLine("\r 10%|#   | 1/10ringside 1 end iterations=3") == DriverLine(DriverEnd{3}));
    CHECK(beginOfDriverLine("abringside 1 end iterations=3") == 2);
    CHECK(beginOfDriverLine("ringside 1 begin {\"a\": \"ringside 1 end\"}") == 0);
    CHECK(beginOfDriverLine("ringside") == 8);
    CHECK_FALSE(readDriverLine("It printed ringside 1 in between"));
}

TEST_CASE("phases that are longer than the iteration are left out")
{
    const Sample sample = sampleOf("ringside 1 iteration=0 start_ns=1 length_ns=9 items=1 forward_ns=10 backward_ns=4");
    CHECK(sample.told == PhaseSet{Phase::backward});
    CHECK(sample.lengthNs() == 9);
}
