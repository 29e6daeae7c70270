// SPDX-License-Identifier: MIT
// One file is sent piece by piece.
#include "agent/relay/filefollower.h"

#include "core/protocol/facts.h"
#include "core/protocol/spool.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a gap that is filled later ends nothing: what is behind it is sent then")
{
    const TemporaryFolder folder;
    constexpr std::size_t kPart = 64u << 10; // more than a block of any file system here
    relay::FollowedFile followed;
    followed.absolute = folder / "rank.log";
    followed.kind = wire::FileKind::log;
    relay::FileFollower follower(followed, std::nullopt);
    const int fd = ::open(followed.absolute.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    const auto write = [&](std::size_t part, char content) {
        const std::string bytes(kPart, content);
        REQUIRE(::pwrite(fd, bytes.data(), kPart, static_cast<off_t>(part * kPart)) == static_cast<ssize_t>(kPart));
    };
    write(0, 'a');
    CHECK(follower.next()->bytes == std::string(kPart, 'a'));
    write(2, 'c');
    CHECK_FALSE(follower.next());
    CHECK(follower.drained()); // nothing waits for it
    CHECK_FALSE(follower.finished());
    write(1, 'b');
    CHECK(follower.next()->bytes == std::string(kPart, 'b') + std::string(kPart, 'c'));
    ::close(fd);
}

TEST_CASE("a gap inside a piece is not sent as zeros, and sent as damage once nothing more is written")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "rank-0.spool";
    const auto made = SpoolWriter::create(path, {FileId::random(), RunId::random(), 1, 0, 1, "here", 100, 0});
    REQUIRE(made);
    const std::uintmax_t header = fs::file_size(path);
    const std::uintmax_t behind = 64u << 10; // more than a block of any file system here
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(behind));
        file << "behind";
    }
    relay::FollowedFile followed;
    followed.absolute = path;
    followed.kind = wire::FileKind::spool;
    relay::FileFollower follower(followed, std::nullopt);
    std::string sent;
    for (int look = 0; look < 5; ++look)
        if (const auto chunk = follower.next())
            sent += chunk->bytes;
    CHECK(sent.size() >= header);
    CHECK(sent.size() < behind); // a block is zeros to its end, whichever writer began it
    CHECK_FALSE(follower.finished());
    follower.close();
    const auto last = follower.next();
    REQUIRE(last);
    CHECK(follower.finished());
    CHECK_FALSE(follower.next());
    SpoolReader reader;
    const auto fed = reader.feed(sent + last->bytes, [](const Record&) {});
    REQUIRE_FALSE(fed);
    CHECK(fed.error().message.find("nothing was ever written") != std::string::npos);
}

TEST_CASE("facts are sent whole up to the longest that are read, and longer ones so that they are refused")
{
    const TemporaryFolder folder;
    relay::FollowedFile followed;
    followed.absolute = folder / "facts.json";
    followed.kind = wire::FileKind::facts;
    for (const std::size_t size : {std::size_t{5} << 20, kMaxFactsBytes, kMaxFactsBytes + 5'000}) {
        REQUIRE(writeFileAtomically(followed.absolute, std::string(size, 'x')));
        relay::FileFollower follower(followed, std::nullopt);
        const auto chunk = follower.next();
        REQUIRE(chunk);
        CHECK(chunk->bytes.size() == std::min(size, kMaxFactsBytes + 1));
        CHECK(chunk->atEnd == (size <= kMaxFactsBytes));
        CHECK(follower.finished());
    }
}
