// SPDX-License-Identifier: MIT
#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>

namespace ringside {

namespace {

mode_t modeOf(const fs::path& path)
{
    struct stat info
    {
    };
    REQUIRE(::stat(path.c_str(), &info) == 0);
    return info.st_mode & 0777;
}

/// Sets an environment variable while it lives.
class Variable
{
public:
    Variable(const char* name, const char* value)
        : m_name(name)
    {
        if (const char* before = std::getenv(name))
            m_before = before;
        ::setenv(name, value, 1);
    }
    ~Variable() { m_before ? ::setenv(m_name, m_before->c_str(), 1) : ::unsetenv(m_name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* m_name;
    std::optional<std::string> m_before;
};

} // namespace

TEST_CASE("when a file was modified is read")
{
    const test::TemporaryFolder folder;
    const fs::path path = folder / "plan.json";
    CHECK(modifiedNs(path) == 0);
    REQUIRE(writeFileAtomically(path, "old"));
    const timespec times[] = {{1, 0}, {1'700'000'000, 123'000'000}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    CHECK(modifiedNs(path) == 1'700'000'000'123'000'000);
}

TEST_CASE("a file is replaced whole and leaves nothing beside it")
{
    const test::TemporaryFolder folder;
    const fs::path path = folder / "plan.json";
    REQUIRE(writeFileAtomically(path, "old"));
    REQUIRE(writeFileAtomically(path, std::string("new\0content", 11)));
    CHECK(readFile(path) == std::string("new\0content", 11));
    CHECK(modeOf(path) == 0600);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a write that fails leaves the old file and nothing beside it")
{
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "taken/inside");
    CHECK_FALSE(writeFileAtomically(folder / "taken", "a folder is in the way"));
    CHECK(fs::is_directory(folder / "taken"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("reading says what is wrong")
{
    const test::TemporaryFolder folder;
    const auto absent = readFile(folder / "absent");
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == ErrorCode::notFound);
    CHECK(absent.error().message.find((folder / "absent").string()) != std::string::npos);
    REQUIRE(writeFileAtomically(folder / "big", std::string(1001, 'x')));
    CHECK(readFile(folder / "big", 1001));
    CHECK(readFile(folder / "big", 1000).error().code == ErrorCode::damaged);
}

TEST_CASE("what is no file is not waited for")
{
    const test::TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink(folder / "pipe", folder / "link");
    for (const char* name : {"pipe", "link"}) {
        const auto refused = readFile(folder / name); // with a blocking open it would not come back
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::damaged);
        CHECK(refused.error().message == (folder / name).string() + " is a pipe or a device, and is not read.");
    }
    CHECK_FALSE(readFile("/dev/ptmx")); // a terminal without input
    CHECK_FALSE(readFile("/dev/zero", 1000));
    CHECK(readFile("/dev/null") == std::string()); // what people give ssh in place of a file
    REQUIRE(writeFileAtomically(folder / "file", "text"));
    fs::create_symlink(folder / "file", folder / "alias");
    CHECK(readFile(folder / "alias") == std::string("text"));
}

TEST_CASE("folders are made for their owner alone")
{
    const test::TemporaryFolder folder;
    REQUIRE(makePrivateFolder(folder / "a/b/c"));
    CHECK(modeOf(folder / "a/b") == 0700);
    CHECK(makePrivateFolder(folder / "a/b/c"));
    REQUIRE(writeFileAtomically(folder / "file", ""));
    CHECK_FALSE(makePrivateFolder(folder / "file"));
    CHECK_FALSE(makePrivateFolder(folder / "file/below"));
}

TEST_CASE("errors of the system by what can be done")
{
    CHECK(systemError("cannot write", "/x", ENOSPC).code == ErrorCode::noSpace);
    CHECK(systemError("cannot write", "/x", EACCES).code == ErrorCode::permission);
    CHECK(systemError("cannot write", "/x", EIO).code == ErrorCode::io);
    CHECK(systemError("cannot create", "/x", EEXIST).code == ErrorCode::exists);
    CHECK_FALSE(systemError("cannot write", "/x", EDQUOT).hint.empty());
}

TEST_CASE("the data folder; empty variables count as unset")
{
    const Variable home("HOME", "/home/kim");
    {
        const Variable data("XDG_DATA_HOME", "");
        CHECK(dataFolder() == fs::path("/home/kim/.local/share/ringside"));
        const Variable noHome("HOME", "");
        CHECK(dataFolder().error().code == ErrorCode::unavailable);
    }
    {
        const Variable data("XDG_DATA_HOME", "data");
        CHECK(dataFolder() == fs::path("/home/kim/.local/share/ringside"));
    }
    const Variable data("XDG_DATA_HOME", "/elsewhere");
    CHECK(dataFolder() == fs::path("/elsewhere/ringside"));
}

} // namespace ringside
