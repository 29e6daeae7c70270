// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/waitpolicy.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>
#include <filesystem>
#include <iterator>
#include <omp.h>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

double cpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

/// CPU time of a thread that waits in each of 40 loops for another one, which sleeps.
double costOfWaiting()
{
    const double before = cpuSeconds();
    for (int loop = 0; loop < 40; ++loop) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            std::this_thread::sleep_for(5ms);
    }
    return cpuSeconds() - before;
}

Telemetry reading(std::chrono::nanoseconds at, float foreign)
{
    Telemetry telemetry;
    telemetry.atNs = at.count();
    telemetry.foreignCoresShare = foreign;
    return telemetry;
}

/// Threads of this process.
std::ptrdiff_t threads()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Threads of a team end a moment after the one that has started them.
bool becomesThreads(std::ptrdiff_t expected)
{
    for (int i = 0; i < 1000 && threads() != expected; ++i)
        std::this_thread::sleep_for(10ms);
    return threads() == expected;
}

/// The team is started on a thread of its own: waits until it takes effect.
bool becomesCheap(double usual)
{
    for (int round = 0; round < 50; ++round)
        if (costOfWaiting() < usual / 10)
            return true;
    return false;
}

} // namespace

TEST_CASE("threads of a rank wait awake while nothing else runs on their cores, and asleep while something does")
{
    const double usual = costOfWaiting();
    const auto alone = threads();
    WaitPolicy policy(omp_get_num_procs(), 2);
    policy.follow(reading(1s, 0.05F)); // a tenth of a core
    CHECK(threads() == alone);

    policy.follow(reading(2s, 0.3F));
    CHECK(threads() > alone);
    CHECK(becomesCheap(usual));
    policy.follow(reading(3s, 0)); // may be gone for a moment only
    CHECK(threads() > alone);
    policy.follow(reading(4s, 0));
    CHECK(becomesThreads(alone));
    CHECK(costOfWaiting() > usual / 10);
}

TEST_CASE(
    "the wait policy is left alone where it cannot matter, where it cannot be known, and where the user has set it")
{
    const auto alone = threads();
    WaitPolicy oneCore(omp_get_num_procs(), 1);
    oneCore.follow(reading(1s, 1));
    CHECK(threads() == alone);

    WaitPolicy policy(omp_get_num_procs(), 2);
    policy.follow(reading(1s, Telemetry::kNotTold));
    CHECK(threads() == alone);
    setenv("OMP_WAIT_POLICY", "active", 1);
    policy.follow(reading(2s, 1));
    CHECK(threads() == alone);
    unsetenv("OMP_WAIT_POLICY");
}
