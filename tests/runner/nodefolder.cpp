// SPDX-License-Identifier: MIT
// Folders on a node's disk that guards were killed too early to remove.
#include "agent/runner/nodefolder.h"
#include "core/base/folderlock.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace ringside;

namespace {

void makeCopy(const fs::path& folder)
{
    fs::create_directories(folder / "pictures/class-0");
    REQUIRE(writeFileAtomically(folder / "pictures/class-0/0.jpg", "picture"));
}

} // namespace

TEST_CASE("of folders on a node's disk those that nobody uses are removed, and nothing else")
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
        runner::removeForsakenNodeFolders(base.path());
    }
    CHECK_FALSE(fs::exists(base / "ringside-0a1b2c3d-1-data"));
    for (const char* name : {"ringside-0a1b2c3d-2-data", "ringside-0a1b2c3d-3-XqRs4f", "data", "others-data"})
        CHECK(fs::exists(base / name / "pictures/class-0/0.jpg"));
    runner::removeNodeFolder(base / "ringside-0a1b2c3d-2-data");
    CHECK_FALSE(fs::exists(base / "ringside-0a1b2c3d-2-data"));
    runner::removeNodeFolder(base / "ringside-0a1b2c3d-2-data"); // nothing there
}

TEST_CASE("a folder of somebody else is neither used nor removed")
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
    runner::removeForsakenNodeFolders(base.path());
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
