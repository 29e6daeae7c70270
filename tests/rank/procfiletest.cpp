// SPDX-License-Identifier: MIT
#include "agent/rank/procfile.h"

#include "core/base/child.h"

#include <csignal>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace ringside;

TEST_CASE("a process's stat line is read past any name")
{
    const auto stat = parseProcessStat("42 (a) b (c) R 1 7 9 0 -1 4194304 1 2 3 4 120 30 5 6 20 0 1 0 99\n");
    REQUIRE(stat);
    CHECK(stat->name == "a) b (c");
    CHECK(stat->parent == 1);
    CHECK(stat->session == 9);
}

TEST_CASE("a damaged stat line is refused or read as zeros, never past its end")
{
    CHECK_FALSE(parseProcessStat(""));
    CHECK_FALSE(parseProcessStat("42 (name R 1 2"));
    CHECK_FALSE(parseProcessStat(")("));
    const auto stat = parseProcessStat("42 (name) R 1");
    REQUIRE(stat);
}

TEST_CASE("keys match at the start of a line only")
{
    CHECK(numberAfter("HugeMemTotal: 7\nMemTotal:   16 kB\n", "MemTotal:") == 16);
    CHECK(numberAfter("MemFree: 1\n", "MemTotal:") == 0);
}

TEST_CASE("the real /proc has this process")
{
    const std::string text = readProc("/proc/self/stat");
    const auto stat = parseProcessStat(text);
    REQUIRE(stat);
    CHECK(stat->parent == getppid());
    CHECK(stat->session == getsid(0));
    CHECK(readProc("/proc/no-such-file").empty());
}

TEST_CASE("a process descends from itself, from its parent and from theirs, and from no child")
{
    CHECK(isOrDescendsFrom(getpid(), getpid()));
    CHECK(isOrDescendsFrom(getpid(), getppid()));
    const auto child = startChild({.arguments = {"sleep", "1000"}, .deathSignal = SIGKILL});
    REQUIRE(child);
    CHECK(isOrDescendsFrom(*child, getpid()));
    CHECK(isOrDescendsFrom(*child, getppid()));
    CHECK_FALSE(isOrDescendsFrom(getpid(), *child));
    kill(*child, SIGKILL);
    awaitChild(*child);
    CHECK_FALSE(isOrDescendsFrom(4'194'305, getpid())); // above every pid
}
