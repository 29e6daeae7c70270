// SPDX-License-Identifier: MIT
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/resizer.h"
#include "core/base/clock.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <atomic>
#include <doctest/doctest.h>
#include <set>
#include <thread>

using namespace ringside;
using test::JpegKind;
using test::writeBytes;

namespace {

/// Twelve pictures in three classes, each of one grey value: 20, 40, … 240.
class GreyFolder
{
public:
    GreyFolder()
    {
        for (int i = 0; i < 12; ++i) {
            const auto value = std::uint8_t(20 * (i + 1));
            writeBytes(name(i), test::jpegBytes(64, 48, test::plain(value, value, value)));
        }
    }
    fs::path name(int i) const { return m_folder / fmt::format("class-{}/{:02}.jpg", i % 3, i); }
    const fs::path& path() const { return m_folder.path(); }

private:
    test::TemporaryFolder m_folder;
};

DataSettings reading(const fs::path& folder)
{
    DataSettings settings;
    settings.source = "folder";
    settings.folder = folder;
    settings.batch = 4;
    settings.imageSize = 8;
    settings.classes = 10;
    settings.prefetch = 3;
    settings.channelsLast = true;
    return settings;
}

/// Calls something before the first picture of each of `reading`'s batches, on the thread that decodes it.
std::function<LoadPicture(LoadPicture)> preceded(std::function<void()> before)
{
    return [before](const LoadPicture& load) {
        return [before, load](std::uint64_t item, float* out) {
            if (item % 4 == 0)
                before();
            return load(item, out);
        };
    };
}

/// Returns which picture of GreyFolder a place in a batch shows.
int pictureIn(const Batch& batch, int place, int imageSize = 8)
{
    const float value = batch.images[std::size_t(place) * 3 * imageSize * imageSize];
    return int(std::lround(255 * (value * kDeviation[0] + kMean[0]) / 20)) - 1;
}

std::vector<int> stream(const DataSettings& settings, int batches)
{
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    std::vector<int> seen;
    for (int i = 0; i < batches; ++i) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        for (int k = 0; k < batch->n; ++k) {
            seen.push_back(pictureIn(*batch, k));
            REQUIRE(batch->labels[k] == seen.back() % 3);
        }
    }
    return seen;
}

std::set<int> range(const std::vector<int>& values, std::size_t from, std::size_t to)
{
    return {values.begin() + long(from), values.begin() + long(to)};
}

} // namespace

TEST_CASE("the stream goes through every picture once per epoch and on without a break")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.batch = 5; // epochs end inside of batches
    const auto seen = stream(settings, 12);
    for (std::size_t epoch = 0; epoch < 5; ++epoch)
        CHECK(range(seen, 12 * epoch, 12 * (epoch + 1)).size() == 12);
}

TEST_CASE("order and pixels depend on the seed, not on threads or ring")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    const auto seen = stream(settings, 9);
    settings.decodeThreads = 4;
    settings.prefetch = 8;
    CHECK(stream(settings, 9) == seen);
    settings.prefetch = 1;
    CHECK(stream(settings, 9) == seen);
    settings.coldCache = true;
    CHECK(stream(settings, 9) == seen);
    settings.seed = 2;
    CHECK(stream(settings, 9) != seen);
}

TEST_CASE("ranks see disjoint pictures in each epoch")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.worldSize = 2;
    settings.batch = 3;
    const auto first = stream(settings, 4);
    settings.rank = 1;
    const auto second = stream(settings, 4);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
        auto both = range(first, 6 * epoch, 6 * (epoch + 1));
        both.merge(range(second, 6 * epoch, 6 * (epoch + 1)));
        CHECK(both.size() == 12);
    }
}

TEST_CASE("bad pictures are replaced by good ones and counted, the same for any number of threads")
{
    const GreyFolder folder;
    writeBytes(folder.name(0), "");
    writeBytes(folder.name(1), "not a JPEG");
    writeBytes(folder.name(2), test::jpegBytes(64, 48, test::plain(60, 60, 60)).substr(0, 400));
    writeBytes(folder.name(3), test::claimingSize(test::jpegBytes(64, 48, test::plain(80, 80, 80)), 60000, 60000));
    std::vector<std::vector<int>> streams;
    for (const int threads : {1, 4}) {
        DataSettings settings = reading(folder.path());
        settings.decodeThreads = threads;
        const auto source = openBatchSource(settings);
        REQUIRE(source);
        std::uint32_t bad = 0;
        std::vector<int> seen;
        for (int i = 0; i < 6; ++i) { // two epochs
            const auto batch = (*source)->next();
            REQUIRE(batch);
            bad += batch->badItems;
            for (int k = 0; k < 4; ++k) {
                seen.push_back(pictureIn(*batch, k));
                CHECK(seen.back() >= 4);
                CHECK(batch->labels[k] == seen.back() % 3);
            }
        }
        CHECK(bad == 8);
        streams.push_back(seen);
    }
    CHECK(streams[0] == streams[1]);
}

TEST_CASE("grey, CMYK, progressive, tiny and large pictures are read")
{
    const test::TemporaryFolder folder;
    writeBytes(folder / "grey.jpg", test::jpegBytes(64, 48, test::ramp(64, 48), JpegKind::grey));
    writeBytes(folder / "cmyk.jpg", test::jpegBytes(64, 48, test::ramp(64, 48), JpegKind::adobeCmyk));
    writeBytes(folder / "ycck.jpg", test::jpegBytes(64, 48, test::ramp(64, 48), JpegKind::ycck));
    writeBytes(folder / "progressive.jpg", test::jpegBytes(64, 48, test::ramp(64, 48), JpegKind::progressive));
    writeBytes(folder / "tiny.jpg", test::jpegBytes(1, 1, test::plain(9, 9, 9)));
    writeBytes(folder / "large.jpg", test::jpegBytes(6000, 3000, test::plain(9, 9, 9), JpegKind::grey));
    for (const int channels : {1, 3}) {
        DataSettings settings = reading(folder.path());
        settings.batch = 6;
        settings.channels = channels;
        const auto source = openBatchSource(settings);
        REQUIRE(source);
        for (int i = 0; i < 5; ++i) {
            const auto batch = (*source)->next();
            REQUIRE(batch);
            CHECK(batch->badItems == 0);
        }
    }
}

TEST_CASE("a folder with nothing but bad pictures ends with an error that says what to do")
{
    const test::TemporaryFolder folder;
    for (int i = 0; i < 30; ++i)
        writeBytes(folder / fmt::format("{}.jpg", i), "bad");
    const auto source = openBatchSource(reading(folder.path()));
    REQUIRE(source);
    const auto batch = (*source)->next();
    REQUIRE_FALSE(batch);
    CHECK(batch.error().code == ErrorCode::damaged);
    CHECK(batch.error().message.find(folder.path().string()) != std::string::npos);
    CHECK_FALSE(batch.error().hint.empty());
}

TEST_CASE("more class folders than the model has classes is a wrong setting")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.classes = 2;
    const auto source = openBatchSource(settings);
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::usage);
}

TEST_CASE("reading and decoding are timed, by what is put around them, too")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.prefetch = 1;
    std::atomic<int> calls = 0;
    settings.around = [&](const LoadPicture& load) {
        return [&, load](std::uint64_t item, float* out) {
            ++calls;
            return load(item, out).map([](LoadedPicture picture) {
                picture.decodeNs += 20'000'000;
                return picture;
            });
        };
    };
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    for (int i = 0; i < 3; ++i) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        CHECK(batch->readNs > 0);
        CHECK(batch->decodeNs > settings.batch * 20'000'000);
    }
    CHECK(calls == 3 * settings.batch); // with a ring of one nothing is read ahead while a batch is in use
}

TEST_CASE("a batch stays untouched until the next is asked for")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.prefetch = 2;
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    for (int i = 0; i < 5; ++i) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        const std::vector<float> copy(batch->images, batch->images + 4 * 3 * 64);
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the threads fill the rest of the ring
        CHECK(std::equal(copy.begin(), copy.end(), batch->images));
    }
}

TEST_CASE("a batch that was read ahead is reported as ready, and batches are numbered")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    std::atomic<bool> mayDecode = true, isHeld = false;
    settings.around = preceded([&] { // on the one thread
        while (!mayDecode) {
            isHeld = true;
            mayDecode.wait(false);
        }
    });
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    for (std::uint64_t number = 0; number < 5; ++number) {
        while (!(*source)->isReady())
            std::this_thread::yield();
        const auto batch = (*source)->next();
        REQUIRE(batch);
        CHECK(batch->number == number);
    }
    mayDecode = false;
    while (!isHeld || (*source)->isReady())
        if ((*source)->isReady())
            REQUIRE((*source)->next());
    CHECK_FALSE((*source)->isReady());
    mayDecode = true;
    mayDecode.notify_all();

    settings.prefetch = 1;
    const auto one = openBatchSource(settings);
    REQUIRE(one);
    REQUIRE((*one)->next());
    CHECK_FALSE((*one)->isReady());
}

TEST_CASE("a batch may take longer than the limit as long as its pictures come")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.limit = std::chrono::seconds(1);
    settings.batch = 4;
    settings.prefetch = 1;
    settings.decodeThreads = 1;
    settings.around = preceded([] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); });
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    CHECK((*source)->next());
}

TEST_CASE("memory that runs out while a picture is decoded is reported by the thread that asks for the batch")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.around = preceded([] { throw std::bad_alloc(); });
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    CHECK_THROWS_AS(static_cast<void>((*source)->next()), std::bad_alloc);
}

TEST_CASE("waiting for a batch has a limit, and closing does not wait for the ring")
{
    const GreyFolder folder;
    DataSettings settings = reading(folder.path());
    settings.limit = std::chrono::seconds(1);
    settings.around = preceded([] { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); });
    auto source = openBatchSource(settings);
    REQUIRE(source);
    const auto batch = (*source)->next();
    REQUIRE_FALSE(batch);
    CHECK(batch.error().code == ErrorCode::timeout);
    const std::int64_t begin = monotonicNs();
    source->reset();
    CHECK(monotonicNs() - begin < 10'000'000'000);
}

TEST_CASE("facts describe the data")
{
    const GreyFolder folder;
    const auto source = openBatchSource(reading(folder.path()));
    REQUIRE(source);
    const auto facts = (*source)->facts();
    CHECK(facts.at("source") == "folder");
    CHECK(facts.at("files") == "12");
    CHECK(facts.at("classes") == "3");
    CHECK(facts.at("checksum").size() == 8);
    CHECK(facts.at("cache").find("warmed") == 0);
}
