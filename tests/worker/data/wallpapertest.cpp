// SPDX-License-Identifier: MIT
// Real photographs: those of Debian's package lomiri-wallpapers-16.04, or whatever else is in that folder.
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/pictureset.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/data/jpegfiles.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr const char* kBackgrounds = "/usr/share/backgrounds";
constexpr std::size_t kMost = 6; ///< photographs; they have several megapixels each

/// The kinds of file that collections hold beside ordinary ones, made from a photograph.
struct Oddities
{
    fs::path from;
    fs::path to;

    void writeReadable() const
    {
        writeBytes(to / "grey.jpg", jpegBytes(1280, 960, photograph(from, 1280, 960), JpegKind::grey));
        writeBytes(to / "cmyk.jpg", jpegBytes(1280, 960, photograph(from, 1280, 960), JpegKind::adobeCmyk));
        writeBytes(to / "huge.jpg", jpegBytes(9600, 7200, photograph(from, 9600, 7200)));
    }
    static constexpr int kReadable = 3;

    void writeBad() const
    {
        const std::string small = jpegBytes(640, 480, photograph(from, 640, 480));
        writeBytes(to / "beyond-every-limit.jpg", claimingSize(small, 60'000, 60'000));
        writeBytes(to / "half.jpg", small.substr(0, small.size() / 2));
        writeBytes(to / "empty.jpg", "");
    }
    static constexpr int kBad = 3;
};

/// Up to kMost of them in two class folders.
std::size_t copyPhotographs(const PictureSet& photographs, const fs::path& folder)
{
    const std::size_t n = std::min(kMost, photographs.pictures.size());
    for (std::size_t i = 0; i < n; ++i) {
        fs::create_directories(folder / fmt::format("class-{}", i % 2));
        fs::copy_file(photographs.folder / photographs.pictures[i].name,
                      folder / fmt::format("class-{}/{}.jpg", i % 2, i));
    }
    return n;
}

DataSettings wholeFolder(const fs::path& folder, std::size_t pictures)
{
    DataSettings settings;
    settings.source = "folder";
    settings.folder = folder;
    settings.batch = int(pictures);
    settings.imageSize = 96;
    settings.decodeThreads = 2;
    return settings;
}

/// Each picture of a batch, normalised, has dark and bright places.
void requirePhotographs(const Batch& batch)
{
    const std::ptrdiff_t each = std::ptrdiff_t{3} * 96 * 96;
    for (int i = 0; i < batch.n; ++i) {
        const float* first = batch.images + i * each;
        CHECK(std::all_of(first, first + each, [](float value) { return std::abs(value) < 3; }));
        const auto [low, high] = std::minmax_element(first, first + each);
        CHECK(*high - *low > 0.5);
    }
}

} // namespace

TEST_CASE("a folder of photographs is read with damaged, empty, grey, CMYK and huge files among them")
{
    const auto photographs = scanPictures(kBackgrounds);
    if (!photographs) {
        MESSAGE("skipped: no photographs in " << kBackgrounds << "; install lomiri-wallpapers-16.04");
        return;
    }
    const TemporaryFolder folder;
    const std::size_t plain = copyPhotographs(*photographs, folder.path());
    const Oddities odd{folder / "class-0/0.jpg", folder / "class-1"};
    odd.writeReadable();
    odd.writeBad();

    const std::size_t files = plain + Oddities::kReadable + Oddities::kBad;
    const auto source = openBatchSource(wholeFolder(folder.path(), files));
    REQUIRE_MESSAGE(source, source.error().text());
    for (int epoch = 0; epoch < 2; ++epoch) {
        const auto batch = (*source)->next();
        REQUIRE_MESSAGE(batch, batch.error().text());
        CHECK(batch->badItems == Oddities::kBad);
        requirePhotographs(*batch);
    }
}
