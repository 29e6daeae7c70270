// SPDX-License-Identifier: MIT
// A delay of 20 ms at one place grows the phase that is named after it, and no other. The one test that reads a clock,
// so it looks at how well the machine keeps time: a pause of 20 ms is timed meanwhile, and the same work is done before
// and after.
#include "tests/worker/train/attempt.h"

#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <thread>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::TemporaryFolder;

namespace {

constexpr double kDelayMs = 20;
constexpr double kToleranceMs = 1;
constexpr int kTries = 6; // of a shared machine
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

/// The value below which a part of them lies.
double quantile(std::vector<double> values, double part)
{
    const auto there = values.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * part);
    std::nth_element(values.begin(), there, values.end());
    return *there;
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

/// How long a pause of kDelayMs really is while this lives: a busy machine wakes late.
class TimedPauses
{
public:
    TimedPauses()
        : m_thread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                const auto began = std::chrono::steady_clock::now();
                std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kDelayMs));
                m_pauses.push_back(
                    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
            }
        })
    {
    }

    double medianMs()
    {
        m_thread = {}; // ends and is waited for
        return quantile(m_pauses, 0.5);
    }

private:
    std::vector<double> m_pauses;
    std::jthread m_thread;
};

/// In ms, of the quickest quarter of the iterations: what a scheduler does to threads that share a core only adds time,
/// to some iterations and by its slices of several milliseconds; a delay is in all of them.
double quickest(const std::vector<Sample>& samples, Phase phase)
{
    std::vector<double> times;
    for (const Sample& sample : samples)
        times.push_back(static_cast<double>(sample.phases[static_cast<std::size_t>(phase)]) / 1e6);
    return quantile(std::move(times), 0.25);
}

double growth(const std::vector<Sample>& without, const std::vector<Sample>& with, Phase phase)
{
    return quickest(with, phase) - quickest(without, phase);
}

enum class Outcome
{
    good,
    wrong,
    unsteady ///< the same work took another time afterwards: nothing can be said
};

Outcome onlyThisPhaseGrows(const Place& place, const fs::path& data)
{
    const auto before = measured(place, data, nullptr);
    TimedPauses pauses;
    const auto with = measured(place, data, place.delay);
    const double delayMs = pauses.medianMs();
    const auto after = measured(place, data, nullptr);
    Outcome outcome = Outcome::good;
    for (const auto phase : kPhases) {
        const double grown = growth(before, with, phase), drift = growth(before, after, phase);
        MESSAGE(std::string(place.delay) << ": " << nameOf(phase) << " grew by " << grown << " ms, then without by "
                                         << drift << " ms; the pause was " << delayMs << " ms");
        if (std::abs(drift) > kToleranceMs)
            return Outcome::unsteady;
        if (phase == place.phase ? std::abs(grown - delayMs) > kToleranceMs : grown >= kToleranceMs)
            outcome = Outcome::wrong;
    }
    return outcome;
}

} // namespace

TEST_CASE("a delay of 20 ms grows its own phase by 20 ms and every other by less than 1 ms")
{
    const TemporaryFolder data;
    for (const auto& place : kPlaces) {
        Outcome outcome = Outcome::unsteady;
        for (int i = 0; i < kTries && outcome != Outcome::good; ++i)
            outcome = onlyThisPhaseGrows(place, data.path());
        CHECK_MESSAGE(outcome == Outcome::good, std::string(place.delay));
    }
}
