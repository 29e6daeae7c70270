// SPDX-License-Identifier: MIT
#include "agent/worker/data/pictureset.h"
#include "tests/support/privileges.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <doctest/doctest.h>

using namespace ringside;
using test::writeBytes;

namespace {

std::string listing(const PictureSet& set)
{
    std::string text;
    for (const Picture& picture : set.pictures)
        text += fmt::format("{} {} {}\n", picture.label, picture.name, picture.bytes);
    return text;
}

} // namespace

TEST_CASE("class folders are labels in the order of their names")
{
    const test::TemporaryFolder folder;
    writeBytes(folder / "zebra/2.JPEG", "22");
    writeBytes(folder / "zebra/1.jpg", "1");
    writeBytes(folder / "ant/x.Jpg", "333");
    writeBytes(folder / "empty/readme.txt", "no picture");
    writeBytes(folder / ".thumbnails/t.jpg", "hidden");
    writeBytes(folder / "zebra/.hidden.jpg", "hidden");
    writeBytes(folder / "loose.jpg", "beside class folders");
    const auto set = scanPictures(folder.path());
    REQUIRE(set);
    CHECK(listing(*set) == "0 ant/x.Jpg 3\n1 zebra/1.jpg 1\n1 zebra/2.JPEG 2\n");
    CHECK(set->classes == 2);
    CHECK(set->bytes() == 6);
}

TEST_CASE("a flat folder is one class")
{
    const test::TemporaryFolder folder;
    writeBytes(folder / "b.jpg", "1");
    writeBytes(folder / "a.jpg", "1");
    const auto set = scanPictures(folder.path());
    REQUIRE(set);
    CHECK(listing(*set) == "0 a.jpg 1\n0 b.jpg 1\n");
}

TEST_CASE("the checksum tells sets apart by names and sizes")
{
    const test::TemporaryFolder folder;
    writeBytes(folder / "a.jpg", "1");
    const std::string before = scanPictures(folder.path())->checksum();
    CHECK(before == scanPictures(folder.path())->checksum());
    writeBytes(folder / "a.jpg", "12");
    CHECK(before != scanPictures(folder.path())->checksum());
}

TEST_CASE("a folder that is not there, without pictures or closed says what to do")
{
    const test::TemporaryFolder folder;
    const auto missing = scanPictures(folder / "missing");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::notFound);
    const auto empty = scanPictures(folder.path());
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == ErrorCode::notFound);
    CHECK(empty.error().hint.find("folder") != std::string::npos);

    fs::create_directory(folder / "closed");
    fs::permissions(folder / "closed", fs::perms::none);
    CHECK(test::withoutPrivileges([&] {
        const auto closed = scanPictures(folder / "closed");
        return !closed && closed.error().code == ErrorCode::permission;
    }));
}
