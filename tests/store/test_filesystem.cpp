// SPDX-License-Identifier: MIT
#include "core/store/filesystem.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;
using store::networkFileSystem;

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
    CHECK(store::mountTypeOf(mounts, "/home/user/far/lab") == "fuse.sshfs");
    CHECK(store::mountTypeOf(mounts, "/home/user/farther") == "tmpfs");
    CHECK(store::mountTypeOf(mounts, "/home/user") == "ext4");
}

TEST_CASE("a folder that is really there is judged, too")
{
    TemporaryFolder folder;
    const auto local = store::requireLocalDisk(folder.path());
    if (!local)
        MESSAGE("the temporary folder is on a network file system: " << local.error().text());
    CHECK(store::requireLocalDisk(folder / "missing").error().code == ErrorCode::notFound);
}
