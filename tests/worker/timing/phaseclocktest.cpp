// SPDX-License-Identifier: MIT
#include "agent/worker/timing/phaseclock.h"
#include "agent/worker/timing/stampcost.h"

#include <chrono>
#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

class Counting : public PhaseObserver
{
public:
    explicit Counting(std::string& seen)
        : m_seen(seen)
    {
    }
    void entered(Phase phase) override { m_seen += std::string(nameOf(phase)) + " "; }

private:
    std::string& m_seen;
};

std::int64_t sum(const PhaseTimes& phases)
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

} // namespace

TEST_CASE("phases add up to the iteration and iterations touch")
{
    PhaseClock clock;
    clock.start();
    for (const auto phase : kPhases)
        clock.enter(phase);
    const auto first = clock.turn();
    std::this_thread::sleep_for(1ms);
    const auto second = clock.turn();
    CHECK(first.seq == 0);
    CHECK(second.seq == 1);
    CHECK(first.startNs + sum(first.phases) == second.startNs);
    CHECK(second.startNs + sum(second.phases) == clock.turn().startNs);
}

TEST_CASE("time belongs to the phase that the clock is in")
{
    PhaseClock clock;
    clock.start();
    clock.enter(Phase::forward);
    CHECK(clock.phase() == Phase::forward);
    std::this_thread::sleep_for(5ms);
    clock.enter(Phase::backward);
    const auto iteration = clock.turn();
    const auto forward = iteration.phases[static_cast<std::size_t>(Phase::forward)];
    CHECK(forward >= 5'000'000);
    CHECK(sum(iteration.phases) - forward < forward);
    CHECK(clock.phase() == Phase::other);
    CHECK(clock.seq() == 1);
}

TEST_CASE("stamps are counted")
{
    PhaseClock clock;
    clock.start();
    clock.enter(Phase::forward);
    clock.turn();
    CHECK(clock.stamps() == 3);
}

TEST_CASE("the cost of measuring counts the event that each stamp records on a GPU")
{
    CHECK(describeMeasuring(14, 40, std::nullopt) == "measuring: 14 stamps an iteration at 40 ns each, 0.6 µs");
    CHECK(describeMeasuring(14, 40, 960.0) ==
          "measuring: 14 stamps an iteration at 40 ns each, each with an event of the GPU at 960 ns, 14.0 µs of the "
          "compute thread");
}

TEST_CASE("all observers see a phase that is entered, until they are removed")
{
    PhaseClock clock;
    std::string seen;
    Counting first(seen), second(seen);
    clock.add(first);
    clock.add(second);
    clock.start();
    clock.enter(Phase::forward);
    clock.remove(first);
    clock.enter(Phase::update);
    clock.turn();
    CHECK(seen == "forward forward update ");
}
