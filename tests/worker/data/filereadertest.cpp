// SPDX-License-Identifier: MIT
#include "agent/worker/data/filereader.h"
#include "tests/support/diskbytes.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ringside;
using test::diskBytes;

namespace {

long long diskBytesOfReading(const fs::path& path, bool coldCache)
{
    FileReader reader(coldCache);
    const long long before = diskBytes();
    REQUIRE(reader.read(path));
    return diskBytes() - before;
}

} // namespace

TEST_CASE("files come whole, shorter ones after longer ones, too")
{
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "long", std::string(100'000, 'l'));
    test::writeBytes(folder / "short", "abc");
    FileReader reader(false);
    CHECK(reader.read(folder / "long")->size() == 100'000);
    const auto bytes = reader.read(folder / "short");
    REQUIRE(bytes);
    CHECK(std::string(bytes->begin(), bytes->end()) == "abc");
}

TEST_CASE("empty files, folders, pipes and missing files are refused at once")
{
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "empty", "");
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    FileReader reader(false);
    CHECK(reader.read(folder / "empty").error().code == ErrorCode::damaged);
    CHECK(reader.read(folder / "pipe").error().code == ErrorCode::damaged);
    CHECK(reader.read(folder.path()).error().code == ErrorCode::damaged);
    CHECK(reader.read(folder / "missing").error().code == ErrorCode::notFound);
}

TEST_CASE("a cold read goes to the disk, a warm one does not")
{
    const test::TemporaryFolder folder;
    const fs::path path = folder / "data";
    test::writeBytes(path, std::string(1 << 20, 'x'));
    const int file = open(path.c_str(), O_RDONLY);
    fsync(file);
    close(file);
    if (!test::hasColdReads(folder.path())) {
        MESSAGE("skipped: the temporary folder is in memory, or the kernel does not count reads");
        return;
    }
    CHECK(diskBytesOfReading(path, true) >= (1 << 20));
    CHECK(diskBytesOfReading(path, false) == 0);
    CHECK(diskBytesOfReading(path, true) >= (1 << 20));
    CHECK(diskBytesOfReading(path, false) == 0);
}
