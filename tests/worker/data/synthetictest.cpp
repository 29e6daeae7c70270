// SPDX-License-Identifier: MIT
#include "agent/worker/data/batchsource.h"
#include "agent/worker/data/random.h"

#include <doctest/doctest.h>
#include <numbers>
#include <vector>

using namespace ringside;

namespace {

DataSettings small()
{
    DataSettings settings;
    settings.batch = 6;
    settings.imageSize = 5;
    settings.classes = 4;
    settings.seed = 42;
    return settings;
}

struct Copy
{
    std::vector<float> images;
    std::vector<std::int64_t> labels;
    bool operator==(const Copy&) const = default;
};

Copy firstBatch(const DataSettings& settings)
{
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    const auto batch = (*source)->next();
    REQUIRE(batch);
    REQUIRE(batch->n == settings.batch);
    const int elements = settings.batch * settings.channels * settings.imageSize * settings.imageSize;
    return {{batch->images, batch->images + elements}, {batch->labels, batch->labels + settings.batch}};
}

} // namespace

TEST_CASE("synthetic gives out one batch again and again")
{
    const auto source = openBatchSource(small());
    REQUIRE(source);
    const auto first = (*source)->next();
    const auto second = (*source)->next();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->images == second->images);
    CHECK(first->labels == second->labels);
    CHECK((*source)->facts().at("source") == "synthetic");
}

TEST_CASE("synthetic numbers follow the documented formula")
{
    const Copy batch = firstBatch(small());
    const std::uint64_t picture = 3, element = 17;
    const double u = randomUnit(42, (picture << 32) + element);
    CHECK(batch.images[picture * 75 + element] == doctest::Approx(std::numbers::sqrt3 * (2 * u - 1)));
    CHECK(randomBits(1234567, 0) == 6457827717110365317u); // SplitMix64's published test value
}

TEST_CASE("both layouts hold the same pictures")
{
    DataSettings settings = small();
    const Copy planes = firstBatch(settings);
    settings.channelsLast = true;
    const Copy pixels = firstBatch(settings);
    CHECK(planes.labels == pixels.labels);
    for (int k = 0; k < 6; ++k)
        for (int c = 0; c < 3; ++c)
            for (int at = 0; at < 25; ++at)
                REQUIRE(planes.images[(k * 3 + c) * 25 + at] == pixels.images[(k * 25 + at) * 3 + c]);
}

TEST_CASE("ranks and seeds have their own pictures; two ranks have those of one with the joined batch")
{
    DataSettings settings = small();
    const Copy first = firstBatch(settings);
    CHECK(first == firstBatch(settings));
    settings.worldSize = 2;
    settings.rank = 1;
    const Copy second = firstBatch(settings);
    CHECK(first.images != second.images);

    DataSettings joined = small();
    joined.batch = 12;
    Copy both = first;
    both.images.insert(both.images.end(), second.images.begin(), second.images.end());
    both.labels.insert(both.labels.end(), second.labels.begin(), second.labels.end());
    CHECK(firstBatch(joined) == both);

    settings.seed = 43;
    CHECK(firstBatch(settings).images != second.images);
}

TEST_CASE("labels are spread below the number of classes")
{
    DataSettings settings = small();
    settings.batch = 400;
    std::vector<int> counts(4);
    for (const std::int64_t label : firstBatch(settings).labels) {
        REQUIRE(label >= 0);
        REQUIRE(label < 4);
        ++counts[label];
    }
    for (const int count : counts)
        CHECK(count > 50);
}

TEST_CASE("settings that make no sense are named")
{
    const auto messageFor = [](auto change) {
        DataSettings settings = small();
        change(settings);
        const auto source = openBatchSource(settings);
        REQUIRE_FALSE(source);
        CHECK(source.error().code == ErrorCode::usage);
        return source.error().text();
    };
    CHECK(messageFor([](DataSettings& s) { s.source = "imagenet"; }).find("imagenet") != std::string::npos);
    CHECK(messageFor([](DataSettings& s) { s.batch = 0; }).find("batch") != std::string::npos);
    CHECK(messageFor([](DataSettings& s) { s.rank = 1; }).find("rank") != std::string::npos);
    CHECK(messageFor([](DataSettings& s) { s.channels = 2; }).find("channels") != std::string::npos);
    CHECK(messageFor([](DataSettings& s) { s.decodeThreads = 0; }).find("threads") != std::string::npos);
}

TEST_CASE("a build without libjpeg-turbo says so")
{
    if (canReadPictures()) {
        MESSAGE("skipped: this build has libjpeg-turbo");
        return;
    }
    DataSettings settings = small();
    settings.source = "folder";
    const auto source = openBatchSource(settings);
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::unavailable);
}

namespace {

struct Sequences
{
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> next;
    bool operator==(const Sequences&) const = default;
};

Sequences sequences(int batch, int rank, std::uint64_t seed = 42)
{
    DataSettings settings = small();
    settings.batch = batch;
    settings.classes = 50;
    settings.sequenceLength = 9;
    settings.worldSize = 2;
    settings.rank = rank;
    settings.seed = seed;
    const auto source = openBatchSource(settings);
    REQUIRE(source);
    CHECK((*source)->next().value().tokens == (*source)->next().value().tokens);
    const Batch given = (*source)->next().value();
    CHECK(given.images == nullptr);
    REQUIRE(given.n == batch);
    return {{given.tokens, given.tokens + batch * 9}, {given.labels, given.labels + batch * 9}};
}

} // namespace

TEST_CASE("synthetic sequences follow the documented formula, and the label of a token is the next one")
{
    const Sequences found = sequences(4, 1);
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t t = 0; t < 9; ++t) {
            const auto token = [&](std::uint64_t place) {
                return static_cast<std::int64_t>(50 * randomUnit(42, ((4 + k) << 32) + place));
            };
            CHECK(found.tokens[k * 9 + t] == token(t));
            CHECK(found.next[k * 9 + t] == token(t + 1));
        }
}

TEST_CASE("ranks and seeds have their own sequences; two ranks have those of one with the joined batch")
{
    Sequences both = sequences(3, 0);
    const Sequences second = sequences(3, 1);
    CHECK_FALSE(both == second);
    CHECK_FALSE(second == sequences(3, 1, 43));
    both.tokens.insert(both.tokens.end(), second.tokens.begin(), second.tokens.end());
    both.next.insert(both.next.end(), second.next.begin(), second.next.end());
    CHECK(both == sequences(6, 0));
}

TEST_CASE("pictures are no sequences")
{
    DataSettings settings = small();
    settings.sequenceLength = 9;
    settings.source = "folder";
    const auto source = openBatchSource(settings);
    REQUIRE_FALSE(source);
    CHECK(source.error().text() ==
          "Data source folder has no sequences of tokens. They come from the source synthetic.");
}
