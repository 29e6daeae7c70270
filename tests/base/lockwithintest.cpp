// SPDX-License-Identifier: MIT
#include "core/base/lockwithin.h"

#include "tests/support/refusedcall.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

Descriptor opened(const fs::path& path)
{
    return Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

} // namespace

TEST_CASE("a lock that others hold is waited for, and only as long as allowed")
{
    const test::TemporaryFolder folder;
    Descriptor others = opened(folder / "lock");
    const Descriptor ours = opened(folder / "lock");
    int waits = 0;
    CHECK(lockWithin(0ms, others, [&] { ++waits; }) == 0);
    CHECK(waits == 0);
    CHECK(lockWithin(250ms, ours, [&] { ++waits; }) == EWOULDBLOCK);
    CHECK(waits == 1);
    CHECK(lockWithin(1min, ours, [&] { others.close(); }) == 0);
}

TEST_CASE("what cannot be locked says why")
{
    CHECK(lockWithin(1min, Descriptor(), [] {}) == EBADF);
}

TEST_CASE("a file system without locks is another thing than one whose lock others hold")
{
    const test::TemporaryFolder folder;
    const Descriptor ours = opened(folder / "lock");
    for (const int reason : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
        CAPTURE(reason);
        int refused = 0;
        std::thread([&] {
            if (test::refuseSystemCall(SYS_flock, static_cast<unsigned>(reason)))
                refused = lockWithin(1min, ours, [] {});
        }).join();
        if (refused == 0) {
            MESSAGE("skipped: no filter for system calls can be set here");
            return;
        }
        CHECK(refused == reason);
        CHECK(meansNoLocks(refused));
    }
    CHECK_FALSE(meansNoLocks(EWOULDBLOCK));
    CHECK_FALSE(meansNoLocks(EBADF));
}
