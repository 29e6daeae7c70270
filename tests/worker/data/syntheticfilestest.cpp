// SPDX-License-Identifier: MIT
#include "agent/worker/data/syntheticfiles.h"

#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/filereader.h"
#include "agent/worker/data/jpegdecoder.h"
#include "tests/support/smalldisk.h"
#include "tests/support/temporaryfolder.h"

#include <array>
#include <csignal>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;

namespace {

SyntheticFilesSpec sized(int pictures)
{
    SyntheticFilesSpec spec;
    spec.pictures = pictures;
    return spec;
}

SyntheticFiles written(const fs::path& folder, int pictures = 20)
{
    auto files = openSyntheticFiles(folder, sized(pictures));
    REQUIRE_MESSAGE(files, files.error().text());
    return std::move(*files);
}

int partialFolders(const fs::path& folder)
{
    int n = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        n += entry.path().filename().string().find(".partial-") != std::string::npos;
    return n;
}

/// Mean red, green and blue of a whole picture at an eighth of its size.
std::array<double, 3> meanColour(JpegDecoder& decoder, FileReader& reader, const fs::path& path)
{
    const auto bytes = reader.read(path);
    REQUIRE(bytes);
    const auto size = decoder.open(*bytes);
    REQUIRE(size);
    CHECK(*size == PictureSize{500, 375});
    const auto part = decoder.begin({0, 0, 500, 375}, 1, 3);
    REQUIRE(part);
    std::vector<std::uint8_t> row(std::size_t(part->area.width) * 4);
    std::array<double, 3> sum{};
    for (int y = 0; y < part->area.height; ++y) {
        REQUIRE(decoder.readRow(row.data()));
        for (std::size_t i = 0; i < row.size(); ++i)
            if (i % 4 < 3)
                sum[i % 4] += row[i] / double(row.size() / 4 * part->area.height);
    }
    return sum;
}

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

} // namespace

TEST_CASE("the pictures have the size of ImageNet's and can be told apart by class")
{
    const test::TemporaryFolder folder;
    const SyntheticFiles files = written(folder.path(), 100);
    REQUIRE(files.set.pictures.size() == 100);
    CHECK(files.set.classes == 10);
    const double mean = double(files.set.bytes()) / 100;
    CHECK(mean > 100'000);
    CHECK(mean < 120'000);

    JpegDecoder decoder;
    FileReader reader(false);
    std::array<std::array<double, 3>, 10> means{};
    std::vector<std::array<double, 3>> colours;
    for (const Picture& picture : files.set.pictures) {
        colours.push_back(meanColour(decoder, reader, files.set.folder / picture.name));
        for (int c = 0; c < 3; ++c)
            means[picture.label][c] += colours.back()[c] / 10;
    }
    int right = 0;
    for (std::size_t i = 0; i < colours.size(); ++i) {
        std::size_t nearest = 0;
        for (std::size_t k = 1; k < 10; ++k)
            if (distance(colours[i], means[k]) < distance(colours[i], means[nearest]))
                nearest = k;
        right += std::int64_t(nearest) == files.set.pictures[i].label;
    }
    CHECK(right >= 60); // by chance 10
}

TEST_CASE("the same pictures come out everywhere, and are written once")
{
    const test::TemporaryFolder one;
    const test::TemporaryFolder two;
    const SyntheticFiles first = written(one.path());
    CHECK(first.checksum == written(two.path()).checksum);
    CHECK(first.set.checksum() == scanPictures(first.set.folder)->checksum());
    const auto before = fs::last_write_time(first.set.folder / first.set.pictures[0].name);
    CHECK(written(one.path()).checksum == first.checksum);
    CHECK(fs::last_write_time(first.set.folder / first.set.pictures[0].name) == before);
}

TEST_CASE("a set that is not whole is written again, and leftovers go away")
{
    const test::TemporaryFolder folder;
    const SyntheticFiles whole = written(folder.path());
    const fs::path victim = whole.set.folder / whole.set.pictures[5].name;
    SUBCASE("interrupted before the marker")
    {
        fs::remove(whole.set.folder / ".complete");
    }
    SUBCASE("a file lost")
    {
        fs::remove(victim);
    }
    SUBCASE("a file cut short")
    {
        fs::resize_file(victim, 1000);
    }
    SUBCASE("a foreign marker")
    {
        fs::resize_file(whole.set.folder / ".complete", 3);
    }
    fs::create_directories(folder / "synthetic-files-v1-20.partial-dead/class-00");
    const SyntheticFiles again = written(folder.path());
    CHECK(again.checksum == whole.checksum);
    CHECK(fs::file_size(victim) > 10'000);
    CHECK(partialFolders(folder.path()) == 0);
}

TEST_CASE("two processes at once end up with one set")
{
    const test::TemporaryFolder folder;
    std::array<pid_t, 3> children{};
    for (pid_t& child : children) {
        child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const auto files = openSyntheticFiles(folder.path(), sized(40));
            _exit(files && files->set.pictures.size() == 40 ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(partialFolders(folder.path()) == 0);
    CHECK(written(folder.path(), 40).set.pictures.size() == 40);
}

TEST_CASE("a writer that is killed is followed by one that finishes")
{
    const test::TemporaryFolder folder;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        static_cast<void>(openSyntheticFiles(folder.path(), sized(120)));
        _exit(0);
    }
    for (int i = 0; i < 1000 && partialFolders(folder.path()) == 0; ++i)
        usleep(10'000);
    REQUIRE(partialFolders(folder.path()) == 1);
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(fs::exists(folder / "synthetic-files-v1-120"));
    const SyntheticFiles files = written(folder.path(), 120);
    CHECK(files.set.pictures.size() == 120);
    CHECK(partialFolders(folder.path()) == 0);
}

TEST_CASE("a disk that is too small is seen before, or while writing, and left clean")
{
    const char* options = "size=8m";
    SUBCASE("before") {}
    SUBCASE("while writing")
    {
        options = "size=400m,nr_inodes=30";
    } // room by the numbers, but not for so many files
    const test::TemporaryFolder folder;
    const test::SmallDisk disk(folder.path(), options, 0);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const auto files = openSyntheticFiles(folder.path(), sized(100));
    REQUIRE_FALSE(files);
    CHECK(files.error().code == ErrorCode::noSpace);
    CHECK(files.error().message.find(folder.path().string()) != std::string::npos);
    CHECK(partialFolders(folder.path()) == 0);
}

TEST_CASE("as a source it gives batches with labels of ten classes and says what it read")
{
    const test::TemporaryFolder folder;
    DataSettings settings;
    settings.source = "synthetic-files";
    settings.folder = folder.path();
    settings.pictures = 20;
    settings.batch = 8;
    settings.imageSize = 64;
    const auto source = openBatchSource(settings);
    REQUIRE_MESSAGE(source, source.error().text());
    for (int i = 0; i < 6; ++i) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        CHECK(batch->n == 8);
        CHECK(batch->badItems == 0);
        for (int k = 0; k < 8; ++k)
            CHECK(batch->labels[k] < 10);
    }
    CHECK((*source)->facts().at("checksum_of") == "content");
    CHECK((*source)->facts().at("files") == "20");
}
