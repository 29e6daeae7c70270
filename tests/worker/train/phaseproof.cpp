// SPDX-License-Identifier: MIT
#include "tests/worker/train/phaseproof.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sys/resource.h>

namespace ringside::test {

namespace {

using Prepare = std::function<void(Attempt&)>;

constexpr double kDelayMs = 20;
constexpr double kToleranceMs = 1;
constexpr std::ptrdiff_t kEnough = 30; ///< undisturbed iterations with the delay, and as many without
constexpr int kPairs = 100;            ///< of one attempt
constexpr int kMostAttempts = 12;      ///< then the machine is too busy to tell

/// Raises the priority of this process and its children as long as it lives; without permission, a busy machine takes
/// longer.
class FirstOfAll
{
public:
    FirstOfAll() { setpriority(PRIO_PROCESS, 0, -20); }
    ~FirstOfAll() { setpriority(PRIO_PROCESS, 0, m_before); }
    FirstOfAll(const FirstOfAll&) = delete;
    FirstOfAll& operator=(const FirstOfAll&) = delete;

private:
    int m_before = getpriority(PRIO_PROCESS, 0);
};

struct Place
{
    std::string delay;
    Phase phase;
    int ranks;
    const char* data;
};

// Where the delay could hide behind other work, or other work behind the delay, there is none: one decode thread, a
// ring of one batch, one bucket.
const std::vector<Place> kPlaces = {
    {"decode", Phase::inputWait, 1, "synthetic-files"}, {"copy", Phase::h2d, 1, "synthetic"},
    {"forward", Phase::forward, 1, "synthetic"},        {"hook", Phase::backward, 2, "synthetic"},
    {"all-reduce", Phase::commExposed, 2, "synthetic"}, {"optimizer", Phase::update, 1, "synthetic"}};

/// Those of the work above, and for any other phase of the table its beginning: a further one is proven without a row.
std::vector<Place> allPlaces()
{
    std::vector<Place> places = kPlaces;
    for (const Phase phase : kPhases)
        if (std::ranges::count(kPlaces, phase, &Place::phase) == 0)
            places.push_back({std::string(nameOf(phase)), phase, 1, "synthetic"});
    return places;
}

std::vector<Sample> measured(const Place& place, const fs::path& data, const Prepare& prepare)
{
    Attempt attempt(place.ranks);
    attempt.run.warmup = 6; // even, as the delay comes in iterations with an odd number
    attempt.run.iterations = attempt.run.warmup + 2 * kPairs;
    attempt.run.settings["data"] = std::string(place.data);
    attempt.run.settings["data_path"] = data.string();
    attempt.run.settings["pictures"] = std::int64_t{40};
    attempt.run.settings["decode_threads"] = std::int64_t{1};
    attempt.run.settings["prefetch"] = std::int64_t{1};
    if (place.ranks > 1)
        attempt.run.plan = planNamed("one-overlapped");
    // A pause empties the core's caches, which lengthens what comes next: so one is in each iteration, and its growth
    // is what is looked at.
    attempt.options = {"--delay", place.delay + "=20", "--delay", place.delay + "=20%"};
    prepare(attempt);
    REQUIRE(attempt.exitCode() == 0);
    auto samples = attempt.spool(0).samples;
    samples.erase(samples.begin(), samples.begin() + attempt.run.warmup);
    REQUIRE(samples.size() == 2 * kPairs);
    return samples;
}

/// Times of the iterations of one place.
struct Iterations
{
    std::vector<Sample> without, with; ///< the delay
};

double inMs(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e6;
}

double median(const std::vector<Sample>& samples, Phase phase)
{
    std::vector<std::int64_t> times;
    for (const Sample& sample : samples)
        times.push_back(sample.phases[static_cast<std::size_t>(phase)]);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return inMs(*middle);
}

bool lasts(const Sample& sample, double ms)
{
    return std::abs(inMs(sample.lengthNs()) - ms) < kToleranceMs;
}

std::vector<Sample> thatLast(const std::vector<Sample>& samples, double ms)
{
    std::vector<Sample> found;
    std::ranges::copy_if(samples, std::back_inserter(found), [ms](const Sample& sample) { return lasts(sample, ms); });
    return found;
}

/// Returns how many of either kind there are if an iteration that nothing disturbs takes so long.
std::ptrdiff_t agreeing(const Iterations& all, double ms)
{
    const auto howMany = [](const std::vector<Sample>& samples, double length) {
        return std::ranges::count_if(samples, [length](const Sample& sample) { return lasts(sample, length); });
    };
    return std::min(howMany(all.without, ms), howMany(all.with, ms + kDelayMs));
}

/// Those of the shortest length that enough of them have, with and without the delay; none if too few agree. Load makes
/// iterations longer, and one of several ranks shorter now and then, for which the others' data are there already.
Iterations undisturbed(const Iterations& all)
{
    std::vector<double> lengths;
    for (const Sample& sample : all.without)
        lengths.push_back(inMs(sample.lengthNs()));
    std::ranges::sort(lengths);
    const auto agree = [&](double ms) { return agreeing(all, ms); };
    const auto first = std::ranges::find_if(lengths, [&](double ms) { return agree(ms) >= kEnough; });
    if (first == lengths.end())
        return {};
    const auto last = std::ranges::upper_bound(lengths, *first + kToleranceMs);
    const double length = *std::ranges::max_element(first, last, {}, agree); // not the edge of them, but where most are
    return {thatLast(all.without, length), thatLast(all.with, length + kDelayMs)};
}

void add(Iterations& iterations, const std::vector<Sample>& samples)
{
    for (std::size_t i = 0; i < samples.size(); ++i)
        (i % 2 == 0 ? iterations.without : iterations.with).push_back(samples[i]);
}

bool growsAlone(const Place& place, const Iterations& iterations)
{
    bool isSo = true;
    for (const auto phase : kPhases) {
        const double grown = median(iterations.with, phase) - median(iterations.without, phase);
        MESSAGE(place.delay, ": ", nameOf(phase), " grew by ", grown, " ms");
        isSo = isSo && std::abs(grown - (phase == place.phase ? kDelayMs : 0)) < kToleranceMs;
    }
    return isSo;
}

void prove(const Place& place, const fs::path& data, const Prepare& prepare)
{
    Iterations all, calm;
    for (int i = 0; i < kMostAttempts && calm.with.empty(); ++i) {
        add(all, measured(place, data, prepare));
        calm = undisturbed(all);
        MESSAGE(place.delay, ": undisturbed were ", calm.without.size(), " iterations without the delay and ",
                calm.with.size(), " with it, of ", all.with.size(), " each");
    }
    const bool isCalm = !calm.with.empty();
    CHECK_MESSAGE(growsAlone(place, isCalm ? calm : all), place.delay);
    CHECK_MESSAGE(isCalm, place.delay, ": iterations did not grow by the delay, or the machine was too busy to tell");
}

} // namespace

void provePhases(const std::function<void(Attempt&)>& prepare)
{
    const FirstOfAll priority;
    const TemporaryFolder data;
    for (const auto& place : allPlaces())
        prove(place, data.path(), prepare);
}

} // namespace ringside::test
