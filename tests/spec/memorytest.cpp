// SPDX-License-Identifier: MIT
// The least that a configuration needs of memory, and what the check before a launch says of it.
#include "tests/spec/examples.h"

using namespace ringside;
using namespace ringside::spec;

TEST_CASE("a batch that is too large is one of what the model is trained with")
{
    SiteLimits site;
    site.memoryBytes = 100'000'000; // not enough for the parameters
    const auto said = [&](const char* model, std::int64_t batch) {
        spec::Experiment experiment = smallExperiment();
        experiment.fixed["model"] = Value(std::string(model));
        experiment.fixed["batch_per_rank"] = Value(batch);
        for (const Check& check : validate(experiment, site))
            if (check.field == "fixed.batch_per_rank")
                return check.message + " " + check.hint;
        return std::string();
    };
    CHECK(said("alexnet", 2).starts_with("Batch: 2 images on 1 rank need at least "));
    CHECK(said("alexnet", 2).ends_with("Use smaller images or fewer ranks."));
    CHECK(said("gpt2", 2).starts_with("Batch: 2 sequences on 1 rank need at least "));
    CHECK(said("gpt2", 1).starts_with("Batch: 1 sequence on 1 rank needs at least "));
    CHECK(said("gpt2", 1).ends_with("Use shorter sequences or fewer ranks."));
}

TEST_CASE("memory of a model of text grows with batch and length")
{
    const auto least = [](std::int64_t batch, std::int64_t length) {
        return static_cast<double>(leastMemoryBytes(
            {{"model", Value("gpt2")}, {"sequence_length", Value(length)}, {"batch_per_rank", Value(batch)}}));
    };
    CHECK(least(3, 100) - least(1, 100) == doctest::Approx(least(1, 300) - least(1, 100)));
    CHECK(least(1, 1) > 124'439'808.0 * 12);
}

TEST_CASE("memory grows with batch, picture and model")
{
    const Settings small = {{"model", Value("resnet50")},
                            {"image_size", Value(std::int64_t{224})},
                            {"batch_per_rank", Value(std::int64_t{1})}};
    Settings large = small;
    large["batch_per_rank"] = Value(std::int64_t{33});
    const double perImage = static_cast<double>(leastMemoryBytes(large) - leastMemoryBytes(small)) / 32;
    CHECK(perImage == doctest::Approx(100e6).epsilon(0.01)); // 2,000 bytes per pixel
    CHECK(leastMemoryBytes(small) > 25'557'032u * 12u);
}
