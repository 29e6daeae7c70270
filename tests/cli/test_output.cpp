// SPDX-License-Identifier: MIT
// Results and progress on a terminal, and on a full disk.
#include "tests/cli/typedat.h"

#include <algorithm>

using namespace ringside;
using namespace ringside::test;

namespace {

/// The columns of the widest line of progress that was drawn in the place of another.
std::size_t widestDrawn(const std::string& shown)
{
    const std::string erased = "\r\x1b[K";
    std::size_t widest = 0;
    for (std::size_t at = shown.find(erased); at != std::string::npos; at = shown.find(erased, at)) {
        at += erased.size();
        const std::string line = shown.substr(at, shown.find_first_of("\r\n", at) - at);
        const auto isBegin = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
        if (line.starts_with('[')) // not what follows once it was erased for good
            widest = std::max(widest, static_cast<std::size_t>(std::ranges::count_if(line, isBegin)));
    }
    return widest;
}

} // namespace

TEST_CASE("a line that is drawn again and again does not wrap")
{
    const CliFixture cli;
    const std::string file = cli.experiment("narrow", "ranks = [1]", 1, 300);
    TypedAt program({cli.program, "run", file}, cli.environment, 40);
    CHECK(program.end() == 0);
    INFO("shown: ", program.shown());
    CHECK(program.shows(" 0 of 1 runs", 1));
    CHECK(widestDrawn(program.shown()) == 39); // the run's iterations had no more room
}

TEST_CASE("output that a disk does not take ends with 73, and what is said there ends no command")
{
    const CliFixture cli;
    const auto shell = [&](const std::string& line) {
        return Program({"/bin/sh", "-c", fmt::format("exec '{}' {}", cli.program, line)}, cli.environment,
                       cli.folder / "output")
            .wait();
    };
    for (const char* little : {"engine --help >/dev/full", "site list --json >/dev/full"}) {
        const Ended lost = shell(little);
        CAPTURE(lost.err);
        CHECK(lost.code == 73);
        CHECK(lost.says("Not all of the output could be written"));
    }
    CHECK(shell("plans --json >/dev/full").code == 73); // more than is buffered
    CHECK(shell("plans 2>/dev/full").code == 0);
    CHECK(shell("runs 2>/dev/full").code == 2);
}
