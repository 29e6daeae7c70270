// SPDX-License-Identifier: MIT
#include "core/base/regularfile.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("what is no regular file is refused without waiting for it")
{
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink("/etc/hostname", folder / "link");
    for (const fs::path& path : {folder / "pipe", folder / "link", folder.path(), fs::path("/dev/zero")}) {
        CAPTURE(path);
        const auto content = readRegularFile(path, 1000);
        REQUIRE(!content);
        CHECK(content.error().code == ErrorCode::damaged);
        CHECK(content.error().message.find(path.string()) != std::string::npos);
        CHECK(!openRegularFile(path));
    }
    CHECK(readRegularFile(folder / "none", 1000).error().code == ErrorCode::notFound);
}

TEST_CASE("a link is followed where that is asked for, and what it leads to has to be a regular file all the same")
{
    const TemporaryFolder folder;
    REQUIRE(writeFileAtomically(folder / "file", "text"));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const char* name : {"file", "pipe"})
        fs::create_symlink(name, folder / (std::string(name) + "-link"));
    CHECK(openRegularFile(folder / "file-link", Links::followed));
    CHECK(openRegularFile(folder / "pipe-link", Links::followed).error().code == ErrorCode::damaged);
}

TEST_CASE("a file that is too long, or that was never written, is refused before it is read")
{
    const TemporaryFolder folder;
    REQUIRE(writeFileAtomically(folder / "small", "text"));
    CHECK(readRegularFile(folder / "small", 4) == std::string("text"));
    CHECK(readRegularFile(folder / "small", 3).error().code == ErrorCode::damaged);
    CHECK(::truncate((folder / "small").c_str(), 1 << 30) == 0);
    CHECK(readRegularFile(folder / "small", 2u << 30).error().message.find("holes") != std::string::npos);
    const auto fd = openRegularFile(folder / "small");
    REQUIRE(fd);
    CHECK_FALSE(isHole(fd->get(), 0));
    CHECK(isHole(fd->get(), 1 << 20));
    CHECK_FALSE(isHole(fd->get(), 1 << 30)); // its end
}

TEST_CASE("a size that cannot be read is an error, and no file without bytes")
{
    const TemporaryFolder folder;
    REQUIRE(writeFileAtomically(folder / "small", "text"));
    const auto file = openRegularFile(folder / "small");
    REQUIRE(file);
    CHECK(sizeOfFile(file->get(), folder / "small") == 4u);
    constexpr int kNoFile = -1;
    const auto size = sizeOfFile(kNoFile, folder / "small");
    REQUIRE(!size);
    CHECK(size.error().message.find("cannot read " + (folder / "small").string()) != std::string::npos);
}
