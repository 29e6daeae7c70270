// SPDX-License-Identifier: MIT
// Leases, and folders that are claimed by them.
#include "agent/runner/folderclaim.h"
#include "agent/runner/lease.h"
#include "agent/runner/procfs.h"
#include "core/base/descriptor.h"
#include "core/base/environment.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/layout.h"
#include "tests/support/refusedcall.h"
#include "tests/support/searchpath.h"
#include "tests/support/temporaryfolder.h"
#include "tests/support/writeprogram.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a folder is claimed by one process of all hosts, until that ends or another host's gives no sign of life")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", leases = runner::FolderClaim::leasesOf(claimed);
    CHECK(runner::FolderClaim::take(claimed).error().code == ErrorCode::notFound);
    CHECK_FALSE(fs::exists(leases));
    REQUIRE(makePrivateFolder(claimed));
    {
        const auto claim = runner::FolderClaim::take(claimed);
        REQUIRE(claim);
        CHECK(runner::FolderClaim::isTaken(claimed));
        const auto second = runner::FolderClaim::take(claimed);
        REQUIRE_FALSE(second);
        CHECK(second.error().code == ErrorCode::busy);
        CHECK(second.error().message.find(fmt::format("Process {} on ", ::getpid())) == 0);
    }
    CHECK_FALSE(runner::FolderClaim::isTaken(claimed));
    CHECK(fs::is_empty(leases));

    auto other = runner::thisOwner();
    REQUIRE(other);
    other->process.host = "another-host";
    other->process.bootId = "another";
    REQUIRE(runner::claimLease(leases, *other) == 1);
    CHECK(runner::FolderClaim::isTaken(claimed));
    CHECK(runner::FolderClaim::take(claimed).error().code == ErrorCode::busy);
    const fs::path lease = layout::leaseFolder(leases, 1);
    fs::last_write_time(runner::ownerFile(lease), fs::file_time_type::clock::now() - runner::kUnseenHolder * 2);
    CHECK_FALSE(runner::FolderClaim::isTaken(claimed));
    // A clock was set back since the last sign.
    fs::last_write_time(runner::ownerFile(lease), fs::file_time_type::clock::now() + runner::kUnseenHolder * 2);
    CHECK_FALSE(runner::FolderClaim::isTaken(claimed));
    CHECK(runner::FolderClaim::take(claimed));
    CHECK(fs::exists(lease)); // the next lease must not come to lie before a successor's
}

TEST_CASE("a claim that was succeeded leaves its lease, so that the successor's is still the latest")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", leases = runner::FolderClaim::leasesOf(claimed);
    REQUIRE(makePrivateFolder(claimed));
    {
        const auto claim = runner::FolderClaim::take(claimed);
        REQUIRE(claim);
        REQUIRE(makePrivateFolder(layout::leaseFolder(leases, 2)));
    }
    CHECK(fs::exists(runner::ownerFile(layout::leaseFolder(leases, 1))));
}

TEST_CASE("a claim is of a process, whatever becomes of the job in whose shell it runs")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", leases = runner::FolderClaim::leasesOf(claimed);
    REQUIRE(makePrivateFolder(claimed));
    const char* before = environment("SLURM_JOB_ID");
    const std::string job = before ? before : "";
    setenv("SLURM_JOB_ID", "17", 1);
    {
        const auto claim = runner::FolderClaim::take(claimed);
        REQUIRE(claim);
        const auto owner = runner::latestOwner(leases);
        REQUIRE((owner && *owner));
        CHECK((*owner)->job.empty());
        setenv("SLURM_JOB_ID", "18", 1); // another one's view
        CHECK(runner::FolderClaim::isTaken(claimed));
        CHECK_FALSE(runner::FolderClaim::take(claimed));
    }
    job.empty() ? unsetenv("SLURM_JOB_ID") : setenv("SLURM_JOB_ID", job.c_str(), 1);
}

TEST_CASE("on a full disk it is still seen whether a folder is claimed")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", other = folder.path() / "other";
    REQUIRE(makePrivateFolder(claimed));
    REQUIRE(makePrivateFolder(other));
    const auto claim = runner::FolderClaim::take(claimed);
    REQUIRE(claim);
    bool isRefused = false;
    std::optional<ErrorCode> ofClaimed, ofOther;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_write, ENOSPC);
        const auto second = runner::FolderClaim::take(claimed), first = runner::FolderClaim::take(other);
        ofClaimed = second ? std::nullopt : std::optional(second.error().code);
        ofOther = first ? std::nullopt : std::optional(first.error().code);
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK(ofClaimed == ErrorCode::busy);
    CHECK(ofOther == ErrorCode::noSpace);
}

TEST_CASE("a folder that an earlier version has locked is claimed, and none is locked for such a version to be")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", locked = folder.path() / ".mine.lock";
    REQUIRE(makePrivateFolder(claimed));
    CHECK(runner::FolderClaim::take(claimed));
    CHECK_FALSE(fs::exists(locked));
    Descriptor earlier(::open(locked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::flock(earlier.get(), LOCK_EX | LOCK_NB) == 0);
    CHECK(runner::FolderClaim::isTaken(claimed));
    const auto refused = runner::FolderClaim::take(claimed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    REQUIRE(::flock(earlier.get(), LOCK_UN) == 0);
    {
        const auto claim = runner::FolderClaim::take(claimed);
        REQUIRE(claim);
        CHECK(::flock(earlier.get(), LOCK_EX | LOCK_NB) != 0);
    }
    CHECK(::flock(earlier.get(), LOCK_EX | LOCK_NB) == 0);
}

TEST_CASE("a lease whose owner cannot be read counts until it has given no sign of life for long")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", leases = runner::FolderClaim::leasesOf(claimed);
    const fs::path lease = layout::leaseFolder(leases, 1);
    REQUIRE(makePrivateFolder(claimed));
    for (const char* owner : {"", "{\"format\": 1000}"}) {
        CAPTURE(owner);
        REQUIRE(makePrivateFolder(lease));
        REQUIRE(writeFileAtomically(runner::ownerFile(lease), owner));
        CHECK(runner::FolderClaim::isTaken(claimed));
        CHECK_FALSE(runner::FolderClaim::take(claimed));
        fs::last_write_time(runner::ownerFile(lease), fs::file_time_type::clock::now() - runner::kUnseenHolder * 2);
        CHECK_FALSE(runner::FolderClaim::isTaken(claimed));
        CHECK(runner::FolderClaim::take(claimed));
    }
}

TEST_CASE("a claim whose lease is another's by now is lost, and leaves that alone")
{
    TemporaryFolder folder;
    const fs::path claimed = folder.path() / "mine", leases = runner::FolderClaim::leasesOf(claimed);
    REQUIRE(makePrivateFolder(claimed));
    auto other = runner::thisOwner();
    REQUIRE(other);
    other->process.host = "another-host";
    other->process.bootId = "another";
    {
        const auto claim = runner::FolderClaim::take(claimed);
        REQUIRE(claim);
        CHECK(claim->isHeld());
        fs::remove_all(leases);
        CHECK_FALSE(claim->isHeld());
        REQUIRE(makePrivateFolder(leases));
        REQUIRE(runner::claimLease(leases, *other) == 1);
        CHECK_FALSE(claim->isHeld());
    }
    CHECK(runner::readOwner(layout::leaseFolder(leases, 1)) == *other);
}

TEST_CASE("a lease that has a successor is not released")
{
    TemporaryFolder folder;
    const auto self = runner::thisOwner();
    REQUIRE(self);
    const fs::path lease = layout::leaseFolder(folder.path(), 1), next = layout::leaseFolder(folder.path(), 2);
    REQUIRE(runner::claimLease(folder.path(), *self) == 1);
    REQUIRE(makePrivateFolder(next));
    runner::releaseLease(lease, next);
    CHECK(runner::readOwner(lease) == *self);
    fs::remove(next);
    runner::releaseLease(lease, next);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a lease names its owner, and only proof of death frees it")
{
    TemporaryFolder folder;
    auto self = runner::thisOwner();
    REQUIRE(self);
    CHECK(runner::claimLease(folder.path(), *self) == 1);
    CHECK(runner::claimLease(folder.path(), *self).error().code == ErrorCode::busy);

    auto dead = *self;
    dead.process.startTicks += 1; // the pid lives, but as another process
    auto rebooted = *self;
    rebooted.process.bootId = "another";
    auto elsewhere = rebooted;
    elsewhere.process.host = "another-host";
    auto container = *self;
    container.process.pidNamespace = "pid:[1]";
    auto requeued = elsewhere;
    requeued.job = "17";
    auto inJob = *self;
    inJob.job = "17";
    inJob.restarts = 1;
    using runner::Life;
    CHECK(runner::lifeOf(*self, *self) == Life::alive);
    CHECK(runner::lifeOf(dead, *self) == Life::dead);
    CHECK(runner::lifeOf(rebooted, *self) == Life::dead);
    CHECK(runner::lifeOf(elsewhere, *self) == Life::unknown);
    CHECK(runner::lifeOf(container, *self) == Life::unknown);
    CHECK(runner::lifeOf(requeued, inJob) == Life::dead);
    CHECK(runner::ownerFromJson(runner::ownerToJson(requeued)) == requeued);
}

TEST_CASE("that the scheduler here does not know a job proves nothing about the job of another cluster")
{
    const TemporaryFolder programs;
    writeProgram(programs / "squeue",
                 "#!/bin/sh\necho 'slurm_load_jobs error: Invalid job id specified' >&2\nexit 1\n");
    const SearchPath path(programs.path().string());
    auto owner = runner::thisOwner();
    REQUIRE(owner);
    owner->job = "17";
    owner->scheduler = jobs::schedulers().front();
    const runner::LeaseOwner self{owner->process, {}};
    using runner::Life;
    CHECK(runner::lifeOf(*owner, self) == Life::dead); // of a version that did not note the cluster
    owner->cluster = "birch";
    CHECK(runner::lifeOf(*owner, self) == Life::unknown); // the cluster here cannot be asked for its name
    writeProgram(programs / "scontrol", "#!/bin/sh\n[ \"$*\" = 'show config' ] &&\n"
                                        "printf 'CliFilterPlugins = (null)\\nClusterName             = birch\\n'\n");
    CHECK(runner::lifeOf(*owner, self) == Life::dead);
    owner->cluster = "alder";
    CHECK(runner::lifeOf(*owner, self) == Life::unknown);
}
