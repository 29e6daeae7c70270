// SPDX-License-Identifier: MIT
#include "agent/worker/data/nodecopy.h"
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/records.h"
#include "core/protocol/checksum.h"
#include "tests/support/diskbytes.h"
#include "tests/support/smalldisk.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <array>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using test::writeBytes;

namespace {

constexpr std::size_t kBytes = 300'001;

/// Six pictures of two classes, of which number 3 is empty; what is in them does not matter here.
class Pictures
{
public:
    Pictures()
    {
        for (int i = 0; i < 6; ++i)
            writeBytes(m_folder / fmt::format("pictures/class-{}/{}.jpg", i % 2, i),
                       std::string(kBytes, char('a' + i)));
        writeBytes(m_folder / "pictures/class-1/3.jpg", "");
    }
    PictureSet single() const
    {
        auto set = scanPictures(m_folder / "pictures");
        REQUIRE(set);
        return std::move(*set);
    }
    PictureSet packed() const
    {
        auto set = openPacked(single());
        REQUIRE(set);
        return std::move(*set);
    }

private:
    test::TemporaryFolder m_folder;
};

std::string contentOf(const PictureSet& set, std::size_t i)
{
    FileReader reader(false);
    const auto bytes = set.read(i, reader);
    return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

std::string listing(const PictureSet& set)
{
    std::string text = fmt::format("{} classes, {}\n", set.classes, set.checksum());
    for (std::size_t i = 0; i < set.pictures.size(); ++i)
        text += fmt::format("{} {} {:08x}\n", set.pictures[i].name, set.pictures[i].label, crc32c(contentOf(set, i)));
    return text;
}

PictureSet copied(const PictureSet& set, const fs::path& folder)
{
    auto copy = copyToNode(set, folder, false);
    REQUIRE_MESSAGE(copy, copy.error().text());
    return std::move(copy->set);
}

Error refused(const PictureSet& set, const fs::path& folder, bool cold)
{
    const auto copy = copyToNode(set, folder, cold);
    REQUIRE_FALSE(copy);
    CHECK_FALSE(fs::exists(folder / "pictures"));
    CHECK(copy.error().hint.find("TMPDIR") != std::string::npos);
    return copy.error();
}

} // namespace

TEST_CASE("a node's copy has the same names, labels, order and bytes")
{
    const Pictures pictures;
    const test::TemporaryFolder node;
    for (const PictureSet& set : {pictures.single(), pictures.packed()}) {
        const fs::path folder = node / (set.packed ? "packed" : "single");
        const PictureSet copy = copied(set, folder);
        CHECK(copy.folder == folder / "pictures");
        CHECK(bool(copy.packed) == bool(set.packed));
        CHECK(listing(copy) == listing(set));
        CHECK(contentOf(copy, 0) == std::string(kBytes, 'a'));
        CHECK(contentOf(copy, 5) == contentOf(set, 5));
    }
}

TEST_CASE("three ranks of a node at once end up with one copy")
{
    const Pictures pictures;
    const PictureSet set = pictures.single();
    const test::TemporaryFolder node;
    std::array<pid_t, 3> children{};
    for (pid_t& child : children) {
        child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const auto copy = copyToNode(set, node / "data", false);
            _exit(copy && listing(copy->set) == listing(set) ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    writeBytes(node / "data/pictures/class-0/0.jpg", "touched");
    CHECK(contentOf(copied(set, node / "data"), 0) == "touched"); // not copied again
}

TEST_CASE("what a rank that was killed has copied is copied again, by the next one")
{
    const Pictures pictures;
    const test::TemporaryFolder node;
    writeBytes(node / "data/pictures/class-0/0.jpg", "a part");
    CHECK(listing(copied(pictures.single(), node / "data")) == listing(pictures.single()));
}

TEST_CASE("no rank removes a copy while it is used")
{
    const Pictures pictures;
    const test::TemporaryFolder node;
    const auto isFree = [&] { return bool(FolderLock::take(node / "data", FolderLock::Kind::exclusive)); };
    {
        const PictureSet copy = copied(pictures.single(), node / "data");
        const PictureSet another = copied(pictures.single(), node / "data");
        CHECK_FALSE(isFree());
    }
    CHECK(isFree());
}

TEST_CASE("a rank that waits for a copy gives up after its limit")
{
    const Pictures pictures;
    const test::TemporaryFolder node;
    REQUIRE(makePrivateFolder(node / "data"));
    const auto lock = FolderLock::take(node / "data", FolderLock::Kind::exclusive);
    REQUIRE(lock);
    const auto copy = copyToNode(pictures.single(), node / "data", false, std::chrono::seconds(0));
    REQUIRE_FALSE(copy);
    CHECK(copy.error().code == ErrorCode::busy);
}

TEST_CASE("a disk with too little room, in memory, or not there is refused before anything is copied")
{
    const Pictures pictures;
    const test::TemporaryFolder folder;
    const Error missing = refused(pictures.single(), folder / "missing/data", false);
    CHECK(missing.code == ErrorCode::notFound);
    const test::SmallDisk disk(folder.path(), 16 << 10);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    for (const PictureSet& set : {pictures.single(), pictures.packed()}) {
        const Error full = refused(set, folder / "data", false); // 64 MiB are left to others
        CHECK(full.code == ErrorCode::noSpace);
        CHECK(full.message.find(folder.path().string()) != std::string::npos);
    }
    const Error memory = refused(pictures.single(), folder / "data", true);
    CHECK(memory.code == ErrorCode::unavailable);
    CHECK(memory.message.find("tmpfs") != std::string::npos);
}

TEST_CASE("a cold cache is cold, where the pictures are and in a node's copy, single and packed")
{
    const test::TemporaryFolder data, node;
    if (!test::hasColdReads(data.path())) {
        MESSAGE("skipped: the temporary folder is in memory, or the kernel does not count reads");
        return;
    }
    for (const bool copied : {false, true})
        for (const bool packed : {false, true}) {
            DataSettings settings;
            settings.source = "synthetic-files";
            settings.folder = data.path();
            settings.pictures = settings.batch = 20; // a batch is the whole set
            settings.prefetch = 1;
            settings.imageSize = 16;
            settings.packed = packed;
            settings.coldCache = true;
            settings.nodeFolder = copied ? node / (packed ? "packed" : "single") : fs::path();
            const auto source = openBatchSource(settings);
            REQUIRE_MESSAGE(source, source.error().text());
            REQUIRE((*source)->next());
            const long long before = test::diskBytes();
            for (int i = 0; i < 2; ++i) // the second one is read after the first was taken
                REQUIRE((*source)->next());
            const long long bytes = test::diskBytes() - before;
            CHECK(bytes >= std::stoll((*source)->facts().at("bytes")));
        }
}

TEST_CASE("the ranks of a host warm its cache together, each a share")
{
    const test::TemporaryFolder data;
    if (!test::hasColdReads(data.path())) {
        MESSAGE("skipped: the temporary folder is in memory, or the kernel does not count reads");
        return;
    }
    DataSettings settings;
    settings.source = "synthetic-files";
    settings.folder = data.path();
    settings.pictures = 60;
    settings.batch = settings.prefetch = 1; // little is read beyond what is warmed
    settings.imageSize = 16;
    settings.coldCache = true;
    const auto whole = openBatchSource(settings).value()->facts();
    const auto bytes = std::stoll(whole.at("bytes"));
    for (const auto& entry : fs::recursive_directory_iterator(data.path()))
        if (entry.is_regular_file()) {
            const int file = open(entry.path().c_str(), O_RDONLY);
            fsync(file);
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
            close(file);
        }
    settings.coldCache = false;
    settings.ranksOnHost = 3;
    std::vector<long long> read;
    for (int rank = 0; rank < 3; ++rank) {
        settings.rankOnHost = rank;
        const long long before = test::diskBytes();
        const auto source = openBatchSource(settings);
        REQUIRE(source);
        read.push_back(test::diskBytes() - before);
        CHECK((*source)->facts().at("cache").ends_with("by 3 ranks of each host"));
    }
    for (const long long share : read)
        CHECK(share < bytes * 2 / 3);
    const long long before = test::diskBytes();
    settings.rankOnHost = 0;
    settings.ranksOnHost = 1;
    REQUIRE(openBatchSource(settings));
    CHECK(read[0] + read[1] + read[2] >= bytes * 9 / 10); // a loader reads while it is measured
    CHECK(test::diskBytes() - before < bytes / 10);       // all of it is there; the program's own pages may come, too
}
