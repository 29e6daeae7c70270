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

namespace {

constexpr const char* kBackgrounds = "/usr/share/backgrounds";
constexpr std::size_t kMost = 6; ///< photographs; they have several megapixels each

} // namespace

TEST_CASE("a folder of photographs with bad files among them is read")
{
    const auto photographs = scanPictures(kBackgrounds);
    if (!photographs) {
        MESSAGE("skipped: no photographs in " << kBackgrounds << "; install lomiri-wallpapers-16.04");
        return;
    }
    const test::TemporaryFolder folder;
    const std::size_t good = std::min(kMost, photographs->pictures.size());
    for (std::size_t i = 0; i < good; ++i) {
        fs::create_directories(folder / fmt::format("class-{}", i % 2));
        fs::copy_file(photographs->folder / photographs->pictures[i].name,
                      folder / fmt::format("class-{}/{}.jpg", i % 2, i));
    }
    test::writeBytes(folder / "class-0/empty.jpg", "");
    const auto whole = readFile(folder / "class-0/0.jpg");
    REQUIRE(whole);
    test::writeBytes(folder / "class-0/half.jpg", whole->substr(0, whole->size() / 2));

    DataSettings settings;
    settings.source = "folder";
    settings.folder = folder.path();
    settings.batch = int(good) + 2;
    settings.imageSize = 96;
    settings.decodeThreads = 2;
    const auto source = openBatchSource(settings);
    REQUIRE_MESSAGE(source, source.error().text());
    for (int epoch = 0; epoch < 2; ++epoch) {
        const auto batch = (*source)->next();
        REQUIRE(batch);
        CHECK(batch->badItems == 2);
        const auto n = std::size_t(batch->n) * 3 * 96 * 96;
        CHECK(std::all_of(batch->images, batch->images + n, [](float value) { return std::abs(value) < 3; }));
        const auto [low, high] = std::minmax_element(batch->images, batch->images + n);
        CHECK(*high - *low > 2); // they show something
    }
}
