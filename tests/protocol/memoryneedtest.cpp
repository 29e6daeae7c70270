// SPDX-License-Identifier: MIT
#include "core/protocol/memoryneed.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

constexpr double kPicture = 224 * 224 * 3 * sizeof(float);

RunSpec alexnet(Settings more = {})
{
    more.merge(Settings{{"model", std::string("alexnet")},
                        {"ranks", std::int64_t{1}},
                        {"batch_per_rank", std::int64_t{100}},
                        {"data", std::string("synthetic")}});
    RunSpec run;
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

namespace {

/// VGG-16 has 138,357,544 parameters: bytes beyond those of one rank, which has no exchange.
std::uint64_t exchangeOfVgg(AggregationPlan plan, int ranks = 4)
{
    RunSpec run = alexnet({{"model", std::string("vgg16")}});
    const std::uint64_t alone = memoryNeedOf(run)->fixedBytes;
    run.settings["ranks"] = std::int64_t{ranks};
    run.plan = std::move(plan);
    return memoryNeedOf(run)->fixedBytes - alone;
}

AggregationPlan planOf(Grouping grouping, Compression compression = Compression::none)
{
    AggregationPlan plan;
    plan.collective = Collective::allreduce;
    plan.grouping = grouping;
    plan.compression = compression;
    return plan;
}

} // namespace

TEST_CASE("what a plan copies gradients into counts, as its parts say")
{
    CHECK(exchangeOfVgg(planOf(Grouping::one)) == 553'430'176);   // 138,357,544 · 4
    CHECK(exchangeOfVgg(planOf(Grouping::perTensor)) == 0);       // nothing is copied
    CHECK(exchangeOfVgg(planOf(Grouping::fusion)) == 128u << 20); // the buffer
    AggregationPlan large = planOf(Grouping::fusion);
    large.fusionThresholdBytes = 1u << 30;
    CHECK(exchangeOfVgg(large) == 553'430'176); // no more than there is
}

TEST_CASE("what compressions lose, and their codes, count")
{
    // 1 bit, in one message: the buckets, losses of all gradients and of a quarter of the sums, two codes of a bit
    // each.
    CHECK(exchangeOfVgg(planOf(Grouping::one, Compression::onebit)) ==
          553'430'176 + 553'430'176 + 138'357'544 + 34'589'386);
    CHECK(exchangeOfVgg(planOf(Grouping::one, Compression::fp16)) == 553'430'176 + 276'715'088);
    // A twentieth of 25 MiB of gradients, 327,680 entries of 8 bytes, its own and those of four ranks.
    CHECK(exchangeOfVgg(planOf(Grouping::buckets, Compression::topk)) == 2 * 553'430'176u + 5 * 327'680 * 8);
    AggregationPlan served = planOf(Grouping::one, Compression::onebit);
    served.collective = Collective::parameterServer;
    // The buckets, losses and a code of all, less the momenta, which are the server's.
    CHECK(exchangeOfVgg(served) == 553'430'176 + 553'430'176 + 17'294'693 - 553'430'176);
}

TEST_CASE("a push of each rank counts for a server that receives by TCP")
{
    const auto serverBytes = [](const char* backend, std::int64_t nodes, Grouping grouping, int servers = 1) {
        RunSpec run = alexnet({{"model", std::string("vgg16")}, {"ranks", std::int64_t{8}}, {"nodes", nodes}});
        run.settings["backend"] = std::string(backend);
        run.plan = planOf(grouping);
        run.plan.collective = Collective::parameterServer;
        run.plan.servers = servers;
        return memoryNeedOf(run)->serverBytes;
    };
    constexpr std::uint64_t kVgg = 553'430'176; // 138,357,544 · 4
    const std::uint64_t byMpi = serverBytes("launcher", 2, Grouping::one);
    CHECK(serverBytes("auto", 2, Grouping::one) == byMpi + 8 * kVgg);
    CHECK(serverBytes("auto", 2, Grouping::one, 2) == serverBytes("launcher", 2, Grouping::one, 2) + 8 * kVgg / 2);
    CHECK(serverBytes("auto", 2, Grouping::buckets) == byMpi + 8 * (25u << 20));
    CHECK(serverBytes("auto", 1, Grouping::one) == byMpi);
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
