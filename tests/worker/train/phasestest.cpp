// SPDX-License-Identifier: MIT
// A delay of 20 ms at one place grows the phase that is named after it, and no other. The one test that reads a clock.
#include "tests/worker/train/attempt.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::TemporaryFolder;

namespace {

constexpr double kDelayMs = 20;
constexpr double kToleranceMs = 1;
constexpr int kTries = 3; // of a shared machine
constexpr int kMeasured = 30;

struct Place
{
    const char* delay;
    Phase phase;
    int ranks;
    const char* data;
};

// Where the delay could hide behind other work there is nothing to hide behind: one decode thread, a ring of one batch.
constexpr Place kPlaces[] = {{"decode", Phase::inputWait, 1, "synthetic-files"},
                             {"copy", Phase::h2d, 1, "synthetic"},
                             {"hook", Phase::backward, 2, "synthetic"},
                             {"all-reduce", Phase::commExposed, 2, "synthetic"},
                             {"optimizer", Phase::update, 1, "synthetic"}};

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::vector<Sample> measured(const Place& place, const fs::path& data, const char* delay)
{
    Attempt attempt(place.ranks);
    attempt.run.warmup = 5;
    attempt.run.iterations = attempt.run.warmup + kMeasured;
    attempt.run.settings["data"] = std::string(place.data);
    attempt.run.settings["data_path"] = data.string();
    attempt.run.settings["pictures"] = std::int64_t{40};
    attempt.run.settings["decode_threads"] = std::int64_t{1};
    attempt.run.settings["prefetch"] = std::int64_t{1};
    if (delay)
        attempt.options = {"--delay", std::string(delay) + "=20"};
    REQUIRE(attempt.exitCode() == 0);
    auto samples = attempt.spool(0).samples;
    samples.erase(samples.begin(), samples.begin() + attempt.run.warmup);
    REQUIRE(samples.size() == kMeasured);
    return samples;
}

/// Median over the pairs of iterations, in ms.
double growth(const std::vector<Sample>& without, const std::vector<Sample>& with, Phase phase)
{
    const auto index = static_cast<std::size_t>(phase);
    std::vector<double> differences;
    for (std::size_t i = 0; i < without.size(); ++i)
        differences.push_back(static_cast<double>(with[i].phases[index] - without[i].phases[index]) / 1e6);
    return median(differences);
}

bool onlyThisPhaseGrows(const Place& place, const fs::path& data)
{
    const auto without = measured(place, data, nullptr);
    const auto with = measured(place, data, place.delay);
    bool good = true;
    for (const auto phase : kPhases) {
        const double grown = growth(without, with, phase);
        MESSAGE(std::string(place.delay) << ": " << nameOf(phase) << " grew by " << grown << " ms");
        good = good && (phase == place.phase ? std::abs(grown - kDelayMs) <= kToleranceMs : grown < kToleranceMs);
    }
    return good;
}

} // namespace

TEST_CASE("a delay of 20 ms grows its own phase by 20 ms and every other by less than 1 ms")
{
    const TemporaryFolder data;
    for (const auto& place : kPlaces) {
        bool good = false;
        for (int i = 0; i < kTries && !good; ++i)
            good = onlyThisPhaseGrows(place, data.path());
        CHECK_MESSAGE(good, std::string(place.delay));
    }
}
