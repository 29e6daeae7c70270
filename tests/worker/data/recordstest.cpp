// SPDX-License-Identifier: MIT
#include "agent/worker/data/records.h"
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/random.h"
#include "core/protocol/bytes.h"
#include "core/protocol/checksum.h"
#include "tests/support/diskbytes.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using test::writeBytes;

namespace {

/// Twelve pictures of three classes, all different, of which number 5 is no JPEG and number 7 empty.
class Pictures
{
public:
    Pictures()
    {
        for (int i = 0; i < 12; ++i)
            writeBytes(path() / fmt::format("class-{}/{:02}.jpg", i % 3, i),
                       test::jpegBytes(40 + i, 30 + 2 * i, test::ramp(40 + i, 30 + i)));
        writeBytes(path() / "class-2/05.jpg", "no JPEG");
        writeBytes(path() / "class-1/07.jpg", "");
    }
    fs::path path() const { return m_folder / "pictures"; }
    fs::path records() const { return m_folder / "pictures.records"; }
    const fs::path& parent() const { return m_folder.path(); }
    PictureSet scanned() const
    {
        auto set = scanPictures(path());
        REQUIRE(set);
        return std::move(*set);
    }

private:
    test::TemporaryFolder m_folder;
};

std::string contentOf(const PictureSet& set, std::size_t i, bool cold = false)
{
    FileReader reader(cold);
    const auto bytes = set.read(i, reader);
    return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

std::string listing(const PictureSet& set)
{
    std::string text = fmt::format("{} classes, {}\n", set.classes, set.checksum());
    for (std::size_t i = 0; i < set.pictures.size(); ++i) {
        const Picture& picture = set.pictures[i];
        text += fmt::format("{} {} {} {:08x}\n", picture.name, picture.label, picture.bytes, crc32c(contentOf(set, i)));
    }
    return text;
}

DataSettings reading(const fs::path& folder, bool packed)
{
    DataSettings settings;
    settings.source = "folder";
    settings.folder = folder;
    settings.batch = 5;
    settings.imageSize = 16;
    settings.classes = 10;
    settings.packed = packed;
    return settings;
}

/// All bits of some batches: pixels, labels and bad items.
std::string batches(const DataSettings& settings)
{
    const auto source = openBatchSource(settings);
    REQUIRE_MESSAGE(source, source.error().text());
    std::string bits;
    for (int i = 0; i < 6; ++i) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        bits.append(reinterpret_cast<const char*>(batch->images), std::size_t(5 * 3 * 16 * 16) * sizeof(float));
        bits.append(reinterpret_cast<const char*>(batch->labels), std::size_t(5) * sizeof(std::int64_t));
        putNumber(bits, batch->badItems);
        CHECK(batch->readNs > 0);
        CHECK(batch->decodeNs > 0);
    }
    return bits;
}

std::string packedBytes(const Pictures& pictures)
{
    REQUIRE(openPacked(pictures.scanned()));
    const auto bytes = readFile(pictures.records());
    REQUIRE(bytes);
    return *bytes;
}

/// Puts a number into the file and makes the checksums right again, as one would who means harm.
template <class T> std::string withNumber(std::string bytes, std::size_t at, T value)
{
    std::memcpy(bytes.data() + at, &value, sizeof value);
    std::uint64_t index = 0;
    std::memcpy(&index, bytes.data() + 24, sizeof index);
    const auto put = [&](std::size_t place, std::uint32_t sum) { std::memcpy(bytes.data() + place, &sum, sizeof sum); };
    put(40, crc32c(std::string_view(bytes).substr(kRecordsHeaderBytes, index)));
    put(44, crc32c(std::string_view(bytes).substr(0, 44)));
    return bytes;
}

std::string refusal(const fs::path& path, const std::string& bytes)
{
    writeBytes(path, bytes);
    const auto set = openRecords(path);
    REQUIRE_FALSE(set);
    CHECK(set.error().code == ErrorCode::damaged);
    CHECK(set.error().message.find(path.string()) != std::string::npos);
    return set.error().message;
}

bool refuses(const fs::path& path, const std::string& bytes, const char* reason)
{
    const std::string message = refusal(path, bytes);
    INFO(message);
    return message.find(reason) != std::string::npos;
}

} // namespace

TEST_CASE("packed pictures have the same names, labels, order and bytes as single files")
{
    const Pictures pictures;
    const PictureSet set = pictures.scanned();
    const auto packed = openPacked(set);
    REQUIRE_MESSAGE(packed, packed.error().text());
    CHECK(packed->packed);
    CHECK(listing(*packed) == listing(set));
    CHECK(contentOf(*packed, 0).size() > 500);
    CHECK(contentOf(*packed, 0, true) == contentOf(set, 0));
    CHECK(listing(*openRecords(pictures.records())) == listing(set));
    const auto mode = fs::status(pictures.records()).permissions();
    CHECK((mode & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("batches are the same to the bit from both forms, bad pictures among them")
{
    const Pictures pictures;
    DataSettings single = reading(pictures.path(), false);
    const std::string expected = batches(single);
    for (const bool cold : {false, true})
        for (const int threads : {1, 3}) {
            DataSettings packed = reading(pictures.path(), true);
            packed.coldCache = cold;
            packed.decodeThreads = threads;
            CHECK(batches(packed) == expected);
        }
    CHECK(batches(reading(pictures.records(), true)) == expected); // the file itself
    single.seed = 2;
    CHECK(batches(single) != expected);
}

TEST_CASE("pictures are packed once, and again when the folder has changed")
{
    const Pictures pictures;
    packedBytes(pictures);
    const auto written = fs::last_write_time(pictures.records());
    CHECK(packedBytes(pictures).size() == fs::file_size(pictures.records()));
    CHECK(fs::last_write_time(pictures.records()) == written);
    writeBytes(pictures.path() / "class-0/99.jpg", test::jpegBytes(20, 20, test::plain(1, 2, 3)));
    writeBytes(pictures.parent() / "pictures.records.partial-dead", "left behind");
    const auto packed = openPacked(pictures.scanned());
    REQUIRE(packed);
    CHECK(listing(*packed) == listing(pictures.scanned()));
    CHECK_FALSE(fs::exists(pictures.parent() / "pictures.records.partial-dead"));
}

TEST_CASE("three processes at once end up with one file")
{
    const Pictures pictures;
    const PictureSet set = pictures.scanned();
    std::array<pid_t, 3> children{};
    for (pid_t& child : children) {
        child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const auto packed = openPacked(set);
            _exit(packed && packed->pictures.size() == 12 ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    for (const auto& entry : fs::directory_iterator(pictures.parent()))
        CHECK(entry.path().string().find(".partial-") == std::string::npos);
    CHECK(listing(*openRecords(pictures.records())) == listing(set));
}

TEST_CASE("what is no file of records, or damaged, is refused with its reason, and left as it is")
{
    const Pictures pictures;
    const std::string whole = packedBytes(pictures);
    const fs::path path = pictures.records();
    std::string bytes = whole;
    bytes[0] = 'X';
    CHECK(refuses(path, bytes, "does not begin as such a file"));
    CHECK_FALSE(openPacked(pictures.scanned()));
    CHECK(readFile(path) == bytes);
    bytes = whole;
    bytes[16] ^= 1;
    CHECK(refuses(path, bytes, "checksum of its header"));
    bytes = whole;
    bytes[60] ^= 1;
    CHECK(refuses(path, bytes, "checksum of its index"));
    CHECK(refuses(path, withNumber(whole, 8, std::uint32_t{2}), "format 2"));
    CHECK(refuses(path, withNumber(whole, 12, std::uint32_t{0}), "0 classes"));
    CHECK(refuses(path, withNumber(whole, 12, std::uint32_t{2}), "of class 2 of 2"));
    CHECK(refuses(path, withNumber(whole, 16, std::uint64_t{0}), "0 pictures"));
    CHECK(refuses(path, withNumber(whole, 16, ~std::uint64_t{0}), "do not fit"));
    CHECK(refuses(path, withNumber(whole, 16, std::uint64_t{11}), "not that of 11 pictures"));
    CHECK(refuses(path, withNumber(whole, 16, std::uint64_t{13}), "13 pictures"));
    CHECK(refuses(path, withNumber(whole, 32, std::uint64_t{1} << 40), "bytes"));
    CHECK(refuses(path, whole + "x", "bytes"));
    CHECK(refuses(path, "", "ends after 0 bytes"));
    CHECK(openRecords(pictures.parent()).error().code == ErrorCode::damaged);
    CHECK(openRecords(pictures.parent() / "missing").error().code == ErrorCode::notFound);
}

TEST_CASE("no picture lies outside of the file, whatever its index says")
{
    const Pictures pictures;
    const std::string whole = packedBytes(pictures);
    const fs::path path = pictures.records();
    constexpr std::size_t offset = kRecordsHeaderBytes;
    constexpr std::size_t bytes = kRecordsHeaderBytes + 8;
    for (const std::uint64_t bad :
         {std::uint64_t{0}, std::uint64_t{47}, std::uint64_t(whole.size()), std::uint64_t{1} << 63, ~std::uint64_t{0}})
        CHECK(refuses(path, withNumber(whole, offset, bad), "picture 0 lies outside"));
    CHECK(refuses(path, withNumber(whole, bytes, ~std::uint32_t{0}), "picture 0 lies outside"));
    CHECK(refuses(path, withNumber(whole, bytes, std::uint32_t(whole.size())), "picture 0 lies outside"));
}

TEST_CASE("a file cut short anywhere is refused")
{
    const Pictures pictures;
    const std::string whole = packedBytes(pictures);
    for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 997)
        CHECK_FALSE(refusal(pictures.records(), whole.substr(0, size)).empty());
}

TEST_CASE("random bytes are refused or read, and never harm")
{
    const Pictures pictures;
    const std::string whole = packedBytes(pictures);
    std::uint64_t index = 0;
    std::memcpy(&index, whole.data() + 24, sizeof index);
    const fs::path path = pictures.parent() / "random.records";
    int opened = 0;
    for (std::uint64_t round = 0; round < 400; ++round) {
        Random random(20, round);
        std::string bytes = whole;
        for (int i = 0; i < 1 + int(round % 4); ++i)
            bytes[std::size_t(8 + random.below(int(kRecordsHeaderBytes + index) - 8))] = char(random.bits());
        std::memcpy(bytes.data() + 24, &index, sizeof index); // where withNumber finds the index
        writeBytes(path, withNumber(bytes, 8, kRecordsFormat));
        const auto set = openRecords(path);
        if (!set) {
            CHECK(set.error().code == ErrorCode::damaged);
            continue;
        }
        ++opened;
        for (std::size_t i = 0; i < set->pictures.size(); ++i)
            CHECK(contentOf(*set, i).size() == set->pictures[i].bytes);
    }
    CHECK(opened > 0);
    CHECK(opened < 400);
    for (std::uint64_t round = 0; round < 50; ++round) {
        Random random(21, round);
        std::string noise(std::size_t(random.below(300)), '\0');
        for (char& byte : noise)
            byte = char(random.bits());
        CHECK_FALSE(refusal(path, noise).empty());
    }
}

TEST_CASE("a file that becomes shorter while it is read gives errors and no old bytes")
{
    const Pictures pictures;
    packedBytes(pictures);
    const auto set = openRecords(pictures.records());
    REQUIRE(set);
    const std::size_t last = set->pictures.size() - 1;
    CHECK(contentOf(*set, last).size() == set->pictures[last].bytes);
    fs::resize_file(pictures.records(), fs::file_size(pictures.records()) - 10);
    FileReader reader(false);
    const auto bytes = set->read(last, reader);
    REQUIRE_FALSE(bytes);
    CHECK(bytes.error().code == ErrorCode::damaged);
    CHECK(bytes.error().message.find("shorter") != std::string::npos);
}

TEST_CASE("a cold read of a packed picture goes to the disk for all of it and little more")
{
    const test::TemporaryFolder folder;
    for (int i = 0; i < 8; ++i)
        writeBytes(folder / fmt::format("pictures/{}.jpg", i), std::string(300'001, char('a' + i)));
    const auto set = scanPictures(folder / "pictures");
    REQUIRE(set);
    const auto packed = openPacked(*set);
    REQUIRE(packed);
    const auto diskBytesOf = [&](std::size_t picture, bool cold) {
        const long long before = test::diskBytes();
        CHECK(contentOf(*packed, picture, cold) == std::string(300'001, char('a' + int(picture))));
        return test::diskBytes() - before;
    };
    if (!test::hasColdReads(folder.path())) {
        MESSAGE("skipped: the temporary folder is in memory, or the kernel does not count reads");
        return;
    }
    CHECK(diskBytesOf(3, true) >= 300'001);
    CHECK(diskBytesOf(3, false) == 0);
    for (const std::size_t picture : {3, 4, 0, 7}) {
        const long long bytes = diskBytesOf(picture, true);
        CHECK(bytes >= 300'001);
        CHECK(bytes <= 300'001 + 2 * 4096);
    }
    CHECK(diskBytesOf(7, false) == 0);
}

TEST_CASE("synthetic files are packed beside their folder and give the same batches")
{
    const test::TemporaryFolder folder;
    DataSettings settings = reading(folder.path(), false);
    settings.source = "synthetic-files";
    settings.pictures = 20;
    const std::string expected = batches(settings);
    settings.packed = true;
    CHECK(batches(settings) == expected);
    CHECK(fs::exists(folder / "synthetic-files-v1-20.records"));
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    CHECK((*source)->facts().at("packed") == "one file");
    CHECK((*source)->facts().at("checksum_of") == "content");
    CHECK((*source)->facts().at("cache").find("warmed: about 2.") == 0);
}
