// SPDX-License-Identifier: MIT
#include "core/base/filesystem.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("network file systems are known by their type")
{
    using namespace std::string_literals;
    for (const auto& [type, name] : std::initializer_list<std::pair<std::uint64_t, std::string>>{{0x6969, "NFS"},
                                                                                                 {0xFF534D42, "CIFS"},
                                                                                                 {0xFE534D42, "SMB2"},
                                                                                                 {0x517B, "SMB"},
                                                                                                 {0x47504653, "GPFS"},
                                                                                                 {0x0BD00BD0, "Lustre"},
                                                                                                 {0x01021997, "9p"},
                                                                                                 {0x5346414F, "AFS"},
                                                                                                 {0x00C36400, "Ceph"}})
        CHECK(networkFileSystem(type) == name);
    CHECK(networkFileSystem(0xFFFFFFFFFF534D42u) == "CIFS"s); // f_type sign-extended
    for (const std::uint64_t local : {0xEF53u, 0x58465342u, 0x9123683Eu, 0x01021994u, 0x794C7630u, 0x2FC12FC1u})
        CHECK(!networkFileSystem(local));
}

TEST_CASE("FUSE is judged by what is mounted")
{
    CHECK(networkFileSystem(std::string_view("fuse.sshfs")) == std::string("sshfs"));
    CHECK(!networkFileSystem(std::string_view("fuseblk")));
    CHECK(!networkFileSystem(std::string_view("fuse.bindfs")));
    const char* mounts = "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
                         "30 22 0:40 / /home/user/far rw,nosuid - fuse.sshfs user@alder:/home rw\n"
                         "31 22 0:41 / /home/user/farther rw - tmpfs none rw\n";
    CHECK(mountTypeOf(mounts, "/home/user/far/lab") == "fuse.sshfs");
    CHECK(mountTypeOf(mounts, "/home/user/farther") == "tmpfs");
    CHECK(mountTypeOf(mounts, "/home/user") == "ext4");
}

TEST_CASE("a folder that is really there is on a file system with a name")
{
    const test::TemporaryFolder folder;
    const auto found = fileSystemOf(folder.path());
    REQUIRE(found);
    CHECK_FALSE(found->type.empty());
    if (found->network)
        MESSAGE("the temporary folder is on a network file system: " << *found->network);
    CHECK(fileSystemOf("/proc")->type == "proc");
    CHECK(fileSystemOf(folder.path() / "missing").error().code == ErrorCode::notFound);
}
