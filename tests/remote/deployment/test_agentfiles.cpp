// SPDX-License-Identifier: MIT
#include "core/remote/deployment/agentfiles.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

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

/// The oldest Linux that a program's C library runs on, as its linker noted it (ELF note NT_GNU_ABI_TAG).
std::pair<std::uint32_t, std::uint32_t> oldestKernel(const std::string& program)
{
    constexpr std::string_view kNote("\x04\0\0\0\x10\0\0\0\x01\0\0\0GNU\0\0\0\0", 20); // of Linux
    const std::size_t at = program.find(kNote);
    std::pair<std::uint32_t, std::uint32_t> version{0, 0};
    REQUIRE(at != std::string::npos);
    std::memcpy(&version.first, program.data() + at + kNote.size(), 4);
    std::memcpy(&version.second, program.data() + at + kNote.size() + 4, 4);
    return version;
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
    REQUIRE(::mkfifo((folder / "ringside-agent-pipe").c_str(), 0600) == 0); // would be waited for if it was opened
    const auto agents = agentsIn(folder.path());
    REQUIRE(agents.size() == 2);
    CHECK(agents[0].system == "linux-x86_64");
    CHECK(agents[1].system == "linux-aarch64");
    CHECK(agentsIn(folder / "nowhere").empty());
}

TEST_CASE("the agent of this build is one of them, and small")
{
    const auto agents = agentsIn(test::builtPrograms());
    REQUIRE_FALSE(agents.empty());
    CHECK(agents[0].system.starts_with("linux-"));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const auto bytes = fs::file_size(agents[0].path);
    MESSAGE("agent_file_bytes ", bytes, " B, at most 5000000");
    CHECK(bytes <= 5'000'000);
#endif
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("the agent needs nothing of a system but its kernel, and that of CentOS 7 will do")
{
    const fs::path agent = agentsIn(test::builtPrograms()).at(0).path;
    const auto kernel = oldestKernel(readFile(agent, 64u << 20).value());
    CAPTURE(kernel.first);
    CAPTURE(kernel.second);
    CHECK(kernel <= std::pair<std::uint32_t, std::uint32_t>{3, 10});

    const test::TemporaryFolder empty; // no C library, no shell, not even /proc
    fs::copy_file(agent, empty / "ringside-agent");
    const std::string asRoot = ::geteuid() == 0 ? "" : "unshare -r ";
    const std::string there = asRoot + "/usr/sbin/chroot '" + empty.path().string() + "' /ringside-agent ";
    if (std::system((asRoot + "true 2>/dev/null").c_str()) != 0) {
        CHECK_MESSAGE(!std::getenv("RINGSIDE_CI"), "no namespaces here");
        MESSAGE("skipped: no namespaces here, and not root");
        return;
    }
    CHECK(std::system((there + "--version >/dev/null").c_str()) == 0);
    CHECK(std::system((there + "probe --root / >'" + (empty / "probed").string() + "'").c_str()) == 0);
    CHECK(readFile(empty / "probed").value_or("").find("\"root_writable\":\"true\"") != std::string::npos);
}
#endif
