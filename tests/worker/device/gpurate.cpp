// SPDX-License-Identifier: MIT
// Not a test: how many images a second this GPU trains, for tests/gpu.sh, which sets PyTorch's rate beside it.
//     RINGSIDE_GPU_CASE="resnet50 64 bf16 300 50" test_worker.gputrain --no-skip -tc="rate of*"
// Model, batch, precision, iterations and those of the warm-up. Prints "rate IMAGES_PER_SECOND".
#include "core/base/environment.h"
#include "tests/worker/train/attempt.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <numeric>
#include <sstream>

using namespace ringside;

namespace {

std::int64_t endOf(const Sample& sample)
{
    return std::accumulate(sample.phases.begin(), sample.phases.end(), sample.startNs);
}

} // namespace

TEST_CASE("rate of a model on this GPU" * doctest::skip())
{
    const char* given = environment("RINGSIDE_GPU_CASE");
    std::istringstream words(given ? given : "");
    std::string model, precision;
    std::int64_t batch = 0;
    test::Attempt attempt;
    words >> model >> batch >> precision >> attempt.run.iterations >> attempt.run.warmup;
    REQUIRE(words);
    const auto word = [](const std::string& text) { return Value(text); };
    for (const auto& [key, value] : Settings{{"model", word(model)},
                                             {"image_size", std::int64_t{224}},
                                             {"batch_per_rank", batch},
                                             {"layout", word("channels_last")},
                                             {"device", word("cuda")},
                                             {"cores_per_rank", std::int64_t{4}}, // as runs have by default
                                             {"precision", word(precision)},
                                             {"tf32", word("on")},
                                             {"cudnn_benchmark", word("on")},
                                             {"learning_rate", 0.001},
                                             {"dropout", 0.0}})
        attempt.run.settings[key] = value;
    REQUIRE(attempt.exitCode() == exitcode::kDone);
    const auto samples = attempt.spool(0).samples;
    REQUIRE(std::ssize(samples) > attempt.run.warmup);
    const auto items = batch * (std::ssize(samples) - attempt.run.warmup);
    const auto ns = endOf(samples.back()) - endOf(samples[static_cast<std::size_t>(attempt.run.warmup) - 1]);
    std::printf("rate %.2f\n", static_cast<double>(items) * 1e9 / static_cast<double>(ns));
}
