// SPDX-License-Identifier: MIT
#include "agent/runner/lastwords.h"

#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::runner;

namespace {

std::string lastLineOf(const std::string& log)
{
    const test::TemporaryFolder folder;
    std::ofstream(folder / "rank-0.log", std::ios::binary) << log;
    return lastLine(folder / "rank-0.log");
}

} // namespace

TEST_CASE("the last line that is not blank is what a rank said last")
{
    CHECK(lastLineOf("one\nrank 12: There is no folder /p.\n\n \n") == "There is no folder /p.");
    CHECK(lastLineOf("ringside-worker: There is no folder /p.\n") == "There is no folder /p.");
    CHECK(lastLineOf("rank and file") == "rank and file");
    CHECK(lastLineOf("no memory\nringside 1 iteration=0\nringside 1 end iterations=20\n") == "no memory");
    CHECK(lastLineOf("ringside 1 end iterations=20\n") == "");
    CHECK(lastLineOf("no memoryringside 1 end iterations=20\n") == "no memory");
    CHECK(lastLineOf("no memory\nringside-gpuload: NVML lists no GPU.\nringside 1 end iterations=20\n") == "no memory");
    CHECK(lastLineOf("no memory\n/w/ringside-gpuload: /lib/libstdc++.so.6: version not found\n") == "no memory");
    CHECK(lastLineOf("\n\n") == "");
    CHECK(lastLine("/nowhere/at/all") == "");
}

TEST_CASE("the rest of a record is no last word, wherever the end of a long log is cut")
{
    std::string records = "no memory\n";
    while (records.size() < 6'000)
        records += "ringside 1 iteration=7 start_ns=1 length_ns=17685457 items=16\n";
    for (int more = 0; more < 80; ++more) {
        CHECK(lastLineOf(records) == "");
        CHECK(lastLineOf(records + "killed\n") == "killed");
        records.insert(0, "x");
    }
}

TEST_CASE("of torchrun's report, the rank that failed first, and its code")
{
    const std::string line = "============================================================\n";
    CHECK(lastLineOf("[rank0]: RuntimeError: Connection reset by peer\n" + line +
                     "train.py FAILED\nFailures:\n[1]:\n  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 70)\n"
                     "Root Cause (first observed failure):\n[0]:\n  time      : 2026-12-01_04:42:42\n"
                     "  host      : localhost\n  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 71)\n"
                     "  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 71\n" +
                     line) == "Root Cause (first observed failure): rank: 1 (local_rank: 1) exitcode: -9 (pid: 71)");
}

TEST_CASE("a report of torchrun that is not the end, or names no rank, hides no later line")
{
    const std::string report = "Root Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n"
                               "  exitcode  : 1 (pid: 71)\n";
    CHECK(lastLineOf(report + "=====\nout of disk space\n") == "out of disk space");
    CHECK(lastLineOf("Root Cause (first observed failure):\nunknown\n") == "unknown");
}

TEST_CASE("whatever a log holds, its last line is short plain text")
{
    CHECK(lastLineOf("\x1b[2Jrm\t-rf\x80") == "?[2Jrm -rf?");
    std::string umlauts;
    for (int i = 0; i < 5'000; ++i)
        umlauts += "ä";
    const std::string line = lastLineOf(umlauts);
    CHECK(line.size() <= kMaxLastLine);
    CHECK(line.ends_with("ä…"));
}

TEST_CASE("of a launcher's log, what ssh says tells more than the launcher's guesses")
{
    const test::TemporaryFolder folder;
    const fs::path log = folder / "attempt.log";
    std::ofstream(log)
        << "ssh: Could not resolve hostname node9: Name or service not known\r\n----\nORTE was unable to "
           "reliably start one or more daemons.\n";
    CHECK(launcherWords(log) == "ssh: Could not resolve hostname node9: Name or service not known");
    std::ofstream(log) << "kim@node9: Permission denied (publickey).\nORTE was unable\n";
    CHECK(launcherWords(log) == "kim@node9: Permission denied (publickey).");
    std::ofstream(log) << "srun: error: task 0 launch failed\n";
    CHECK(launcherWords(log) == lastWords(log));
}
