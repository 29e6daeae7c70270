// SPDX-License-Identifier: MIT
// Folders on a node's disk that guards were killed too early to remove.
#include "agent/runner/nodefolder.h"
#include "agent/runner/scratch.h"
#include "core/base/folderlock.h"
#include "core/protocol/nodefolder.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace ringside;

namespace {

constexpr std::chrono::seconds kEnough{30};

void makeData(const fs::path& folder)
{
    fs::create_directories(folder / "pictures/class-0");
    REQUIRE(writeFileAtomically(folder / "pictures/class-0/0.jpg", "picture"));
}

void makeCopy(const fs::path& folder)
{
    makeData(folder);
    REQUIRE(writeFileAtomically(folder / kNodeFolderMark, ""));
}

} // namespace

TEST_CASE("unused folders on a node's disk are removed, and nothing else")
{
    const test::TemporaryFolder base;
    for (const char* name :
         {"ringside-0a1b2c3d-1-data", "ringside-0a1b2c3d-2-data", "ringside-0a1b2c3d-3-XqRs4f", "data", "others-data"})
        makeCopy(base / name);
    fs::create_directory_symlink(base / "data", base / "ringside-0a1b2c3d-4-data");
    {
        const auto used = FolderLock::take(base / "ringside-0a1b2c3d-2-data", FolderLock::Kind::shared);
        REQUIRE(used);
        const auto beside = FolderLock::take(base / "ringside-0a1b2c3d-2-data", FolderLock::Kind::shared);
        REQUIRE(beside);
        runner::removeForsakenNodeFolders(base.path(), kEnough);
    }
    CHECK_FALSE(fs::exists(base / "ringside-0a1b2c3d-1-data"));
    for (const char* name : {"ringside-0a1b2c3d-2-data", "ringside-0a1b2c3d-3-XqRs4f", "data", "others-data"})
        CHECK(fs::exists(base / name / "pictures/class-0/0.jpg"));
    runner::removeNodeFolder(base / "ringside-0a1b2c3d-2-data", kEnough);
    CHECK_FALSE(fs::exists(base / "ringside-0a1b2c3d-2-data"));
    runner::removeNodeFolder(base / "ringside-0a1b2c3d-2-data", kEnough); // nothing there
}

TEST_CASE("of scratch folders without a lock only this node's are removed")
{
    const test::TemporaryFolder base;
    {
        const auto living = runner::Scratch::make(base.path(), "/root/runs/0a1b2c3d-0000/attempt-1");
        REQUIRE(living);
        for (const char* name : {"ringside-here", "ringside-elsewhere"}) // what is left of a killed one holds no lock
            fs::copy(living->path(), base / name);
        for (const auto& mark : fs::directory_iterator(base / "ringside-elsewhere"))
            REQUIRE(writeFileAtomically(mark.path(), "another-node"));
        runner::removeForsakenScratch(base.path());
        CHECK(fs::exists(living->path()));
    }
    CHECK_FALSE(fs::exists(base / "ringside-here"));
    CHECK(fs::exists(base / "ringside-elsewhere")); // whose runner may live, and hold a lock that is not seen here
}

TEST_CASE("a user's data under such a name stay")
{
    const test::TemporaryFolder base;
    const char* const names[] = {"ringside-data", "ringside-imagenet-data", "ringside-0a1b2c3d-imagenet-data",
                                 "ringside-0a1b2c3d-1-data"};
    for (const char* name : names)
        makeData(base / name);
    for (const char* name : {"ringside-data", "ringside-imagenet-data"})
        REQUIRE(writeFileAtomically(base / name / kNodeFolderMark, "")); // the name alone has to keep it
    fs::create_directory(base / "ringside-0a1b2c3d-2-data");             // a rank was killed before it wrote its mark
    runner::removeForsakenNodeFolders(base.path(), kEnough);
    for (const char* name : names)
        CHECK(fs::exists(base / name / "pictures/class-0/0.jpg"));
    CHECK_FALSE(fs::exists(base / "ringside-0a1b2c3d-2-data"));
}

TEST_CASE("who has too little time leaves the rest of a folder to the next")
{
    const test::TemporaryFolder base;
    const fs::path folder = base / "ringside-0a1b2c3d-1-data";
    makeCopy(folder);
    for (int i = 1; i < 10; ++i)
        REQUIRE(writeFileAtomically(folder / fmt::format("pictures/class-0/{}.jpg", i), "picture"));
    runner::removeForsakenNodeFolders(base.path(), std::chrono::seconds(0));
    REQUIRE(fs::exists(folder / kNodeFolderMark));
    runner::removeForsakenNodeFolders(base.path(), kEnough);
    CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("a folder of another user is neither used nor removed")
{
    const test::TemporaryFolder base;
    makeCopy(base / "ringside-0a1b2c3d-1-data");
    if (::chown((base / "ringside-0a1b2c3d-1-data").c_str(), 65534, 65534) != 0) {
        MESSAGE("skipped: only root gives folders away");
        return;
    }
    const auto lock = FolderLock::take(base / "ringside-0a1b2c3d-1-data", FolderLock::Kind::shared);
    REQUIRE_FALSE(lock);
    CHECK(lock.error().code == ErrorCode::permission);
    runner::removeForsakenNodeFolders(base.path(), kEnough);
    CHECK(fs::exists(base / "ringside-0a1b2c3d-1-data"));
}

TEST_CASE("a node's disk is what Slurm says, then what the user says, then /tmp")
{
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before ? before : "";
    const fs::path attempt = "/root/runs/0a1b2c3d-0000-4000-8000-000000000000/attempt-2";
    ::unsetenv("SLURM_TMPDIR");
    ::unsetenv("TMPDIR");
    CHECK(runner::nodeFolderOf(attempt) == "/tmp/ringside-0a1b2c3d-2-data");
    ::setenv("TMPDIR", "/a/long/path/to/the/disk/of/a/node", 1);
    CHECK(runner::nodeFolderOf(attempt) == "/a/long/path/to/the/disk/of/a/node/ringside-0a1b2c3d-2-data");
    ::setenv("SLURM_TMPDIR", "/slurm", 1);
    CHECK(runner::nodeFolderOf(attempt) == "/slurm/ringside-0a1b2c3d-2-data");
    ::unsetenv("SLURM_TMPDIR");
    before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}
