// SPDX-License-Identifier: MIT
#include "core/remote/deployment/agentfiles.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::deployment;

namespace {

/// The first 20 bytes of a program as its linker wrote them.
std::string elf(int bits, int order, int machine)
{
    std::string header("\x7f"
                       "ELF");
    header += static_cast<char>(bits);
    header += static_cast<char>(order);
    header += std::string(10, '\0');
    header += std::string("\x02\x00", 2);
    header += static_cast<char>(order == 1 ? machine & 0xff : machine >> 8);
    header += static_cast<char>(order == 1 ? machine >> 8 : machine & 0xff);
    return header;
}

} // namespace

TEST_CASE("the system of a program is read from its header")
{
    CHECK(systemOf(elf(2, 1, 62)) == "linux-x86_64");
    CHECK(systemOf(elf(2, 1, 183)) == "linux-aarch64");
    CHECK(systemOf(elf(2, 1, 21)) == "linux-ppc64le");
    CHECK(systemOf(elf(2, 2, 22)) == "linux-s390x");
    CHECK(systemOf(elf(2, 2, 21)).empty()); // big-endian
    CHECK(systemOf(elf(1, 1, 3)).empty());  // 32 bits
    CHECK(systemOf("#!/bin/sh\nexit 0; # not a program").empty());
    CHECK(systemOf("").empty());
    CHECK(systemOf("\x7f"
                   "ELF")
              .empty());
}

TEST_CASE("agents are found beside the programs, the own one first")
{
    test::TemporaryFolder folder;
    std::ofstream(folder / "ringside-agent-linux-aarch64") << elf(2, 1, 183);
    std::ofstream(folder / "ringside-agent") << elf(2, 1, 62);
    std::ofstream(folder / "ringside-agent-notes.txt") << "not a program";
    std::ofstream(folder / "ringside-worker") << elf(2, 1, 62);
    const auto agents = agentsIn(folder.path());
    REQUIRE(agents.size() == 2);
    CHECK(agents[0].system == "linux-x86_64");
    CHECK(agents[1].system == "linux-aarch64");
    CHECK(agentsIn(folder / "nowhere").empty());
}

TEST_CASE("the agent of this build is one of them, and small")
{
    const auto agents = agentsIn(RINGSIDE_BIN);
    REQUIRE_FALSE(agents.empty());
    CHECK(agents[0].system.starts_with("linux-"));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const auto bytes = fs::file_size(agents[0].path);
    MESSAGE("agent_file_bytes ", bytes, " B, at most 5000000");
    CHECK(bytes <= 5'000'000);
#endif
}
