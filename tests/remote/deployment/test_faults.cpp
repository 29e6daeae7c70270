// SPDX-License-Identifier: MIT
// Places that cannot hold or run a program: small file systems made for it, and a user who may not do everything.
#include "core/remote/deployment/deployment.h"
#include "tests/remote/deployment/shellhost.h"
#include "tests/support/built.h"
#include "tests/support/smalldisk.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <sys/mount.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::deployment;
using test::ShellHost;
using test::SmallDisk;

namespace {

/// A home folder that is a file system of its own, with these mount options.
class SmallHome
{
public:
    SmallHome(const std::string& options, unsigned long flags = 0)
        : m_disk(m_folder.path(), options, flags)
    {
        if (!m_disk.problem().empty())
            MESSAGE("skipped: cannot mount a small disk: ", m_disk.problem());
    }
    bool isThere() const { return m_disk.problem().empty(); }
    const fs::path& path() const { return m_folder.path(); }

private:
    test::TemporaryFolder m_folder;
    SmallDisk m_disk;
};

Result<Dialled> dialFrom(ShellHost& host, const std::string& root = ".ringside")
{
    DeploymentSettings settings;
    settings.root = root;
    settings.agents = agentsIn(test::builtPrograms());
    return dial(host, settings);
}

std::string messageOf(const Result<Dialled>& dialled)
{
    return dialled ? "it answered" : dialled.error().text();
}

bool says(const Result<Dialled>& dialled, const std::string& part)
{
    return messageOf(dialled).find(part) != std::string::npos;
}

} // namespace

TEST_CASE("too little space is reported before anything is copied, and a full disk when it is met")
{
    const SmallHome small("size=2m");
    if (!small.isThere())
        return;
    ShellHost host("/bin/sh", small.path());
    const auto dialled = dialFrom(host);
    CHECK(dialled.error().code == ErrorCode::noSpace);
    CHECK(says(dialled, "of free space"));
    CHECK(host.started.size() == 2); // the agent that is not there, and the survey

    std::ofstream(small.path() / "fill") << std::string(3'000'000, 'x');
    const auto full = dialFrom(host);
    CHECK(full.error().code == ErrorCode::noSpace);
}

TEST_CASE("a file system that can hold no more files is told from a full one")
{
    const SmallHome few("size=32m,nr_inodes=4");
    if (!few.isThere())
        return;
    for (const char* name : {"a", "b", "c"})
        std::ofstream(few.path() / name) << "";
    ShellHost host("/bin/sh", few.path());
    const auto dialled = dialFrom(host);
    CHECK(dialled.error().code == ErrorCode::noSpace);
    CHECK(says(dialled, "inodes"));
}

TEST_CASE("where programs may not run another place is offered, and works")
{
    const SmallHome noexec("size=32m", MS_NOEXEC);
    if (!noexec.isThere())
        return;
    const test::TemporaryFolder scratch;
    ShellHost host("/bin/sh", noexec.path());
    host.environment["SCRATCH"] = scratch.path().string();
    const auto dialled = dialFrom(host);
    CHECK(dialled.error().code == ErrorCode::permission);
    CHECK(says(dialled, "mounted noexec"));
    const std::string offered = scratch.path().string() + "/ringside";
    REQUIRE(says(dialled, offered));
    const auto there = dialFrom(host, offered);
    CHECK_MESSAGE(there, messageOf(there));
}

TEST_CASE("a place that cannot run programs either is not offered")
{
    const SmallHome noexec("size=32m", MS_NOEXEC);
    if (!noexec.isThere())
        return;
    fs::create_directories(noexec.path() / "scratch");
    ShellHost host("/bin/sh", noexec.path());
    host.environment["SCRATCH"] = (noexec.path() / "scratch").string();
    CHECK_FALSE(says(dialFrom(host), "scratch/ringside"));
}

TEST_CASE("a file system that is mounted read-only is named")
{
    const SmallHome readOnly("size=32m", MS_RDONLY);
    if (!readOnly.isThere())
        return;
    ShellHost host("/bin/sh", readOnly.path());
    const auto dialled = dialFrom(host);
    CHECK(dialled.error().code == ErrorCode::permission);
    CHECK(says(dialled, "read-only"));
}

TEST_CASE("a folder of another user is no place")
{
    const test::TemporaryFolder others;
    fs::permissions(others.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    if (::geteuid() != 0)
        fs::permissions(others.path(), fs::perms::owner_read | fs::perms::owner_exec);
    ShellHost host("/bin/sh", "/tmp");
    host.unprivileged = true;
    const auto dialled = dialFrom(host, (others / "ringside").string());
    CHECK(dialled.error().code == ErrorCode::permission);
    CHECK(says(dialled, "may not write"));
    fs::permissions(others.path(), fs::perms::owner_all);
}

TEST_CASE("a file in the place of a folder is reported")
{
    const test::TemporaryFolder home;
    std::ofstream(home / ".ringside") << "mine";
    ShellHost host("/bin/sh", home.path());
    const auto dialled = dialFrom(host);
    REQUIRE_FALSE(dialled);
    CHECK(says(dialled, "Not a directory"));
    CHECK(readFile(home / ".ringside") == "mine");
}
