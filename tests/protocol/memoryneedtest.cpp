// SPDX-License-Identifier: MIT
#include "core/protocol/memoryneed.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

constexpr double kPicture = 224 * 224 * 3 * sizeof(float);

RunSpec alexnet(Settings more = {})
{
    RunSpec run;
    run.settings = {{"model", std::string("alexnet")},
                    {"ranks", std::int64_t{1}},
                    {"batch_per_rank", std::int64_t{100}},
                    {"data", std::string("synthetic")}};
    more.merge(run.settings);
    run.settings = std::move(more);
    return run;
}

double hostPerItem(Settings more = {})
{
    return memoryNeedOf(alexnet(std::move(more)))->hostPerItem;
}

const Settings kPaced{{"compute", std::string("paced")}};

Settings with(Settings settings, const std::string& key, Value value)
{
    settings[key] = std::move(value);
    return settings;
}

} // namespace

TEST_CASE("batches that are read ahead count, wherever the model computes")
{
    const std::string files = "synthetic-files", gpu = "cuda";
    CHECK(hostPerItem(kPaced) == doctest::Approx(2 * kPicture)); // the model's batch and the source's
    CHECK(hostPerItem(with(kPaced, "data", files)) == doctest::Approx(5 * kPicture));
    CHECK(hostPerItem(with(with(kPaced, "data", files), "prefetch", std::int64_t{16})) ==
          doctest::Approx(17 * kPicture));
    CHECK(hostPerItem({{"data", files}, {"device", gpu}}) == doctest::Approx(7 * kPicture)); // and page-locked ones
    CHECK(hostPerItem({{"data", files}}) == doctest::Approx(hostPerItem() + 3 * kPicture));
    CHECK(hostPerItem({{"prefetch", std::int64_t{16}}}) == hostPerItem()); // synthetic data is one batch
}

TEST_CASE("the largest batch that fits is below the one that did not, and well below one that ran out all the same")
{
    const MemoryNeed need = *memoryNeedOf(alexnet());
    const auto bytesOf = [&](int batch) {
        return need.fixedBytes + static_cast<std::uint64_t>(batch * need.hostPerItem) + 1000;
    };
    CHECK(need.largestBatch(bytesOf(40), need.hostPerItem) == 40);
    CHECK(need.largestBatch(bytesOf(1000), need.hostPerItem) == 99);
    CHECK(need.largestBatch(need.fixedBytes / 2, need.hostPerItem) == 0);
    CHECK(need.largestBatchAfterFailure(bytesOf(40), need.hostPerItem) == 40);
    CHECK(need.largestBatchAfterFailure(bytesOf(95), need.hostPerItem) == 80);
    CHECK(need.largestBatchAfterFailure(bytesOf(1000), need.hostPerItem) == 80);
}
