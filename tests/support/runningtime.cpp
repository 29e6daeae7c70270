// SPDX-License-Identifier: MIT
#include "tests/support/runningtime.h"

#include "core/base/files.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

namespace ringside::test {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{10};
/// A turn that took longer was not one of a busy machine, which gives each thread some milliseconds of every second.
constexpr nanoseconds kLongestTurn = std::chrono::seconds(1);

/// Returns the share of a core for each thread that runs or wants to: 1 if there are enough. By /proc/loadavg, "0.20
/// 0.18 0.12 2/80 11206", where 2 of 80 threads do, this one among them.
double share()
{
    const std::string line = readFile("/proc/loadavg").value_or("");
    double wanting = 0;
    std::sscanf(line.c_str(), "%*s %*s %*s %lf", &wanting);
    const double cores = std::max(1u, std::thread::hardware_concurrency());
    return std::min(1.0, cores / std::max(1.0, wanting - 1));
}

/// Counts the turns of a thread that does nothing else, from the first question to the end of the process.
class Witness
{
public:
    static nanoseconds runningTime()
    {
        static Witness witness;
        return nanoseconds(witness.m_running.load());
    }

private:
    void count(const std::stop_token& ending)
    {
        for (auto last = steady_clock::now(); !ending.stop_requested();) {
            std::this_thread::sleep_for(kTurn);
            const auto now = steady_clock::now();
            const auto turn = std::min<nanoseconds>(now - last, kLongestTurn);
            m_running += static_cast<nanoseconds::rep>(static_cast<double>(turn.count()) * share());
            last = now;
        }
    }

    std::atomic<nanoseconds::rep> m_running = 0;
    std::jthread m_thread{[this](const std::stop_token& ending) { count(ending); }};
};

} // namespace

RunningTime::RunningTime()
    : m_begin(Witness::runningTime())
{
}

std::chrono::milliseconds RunningTime::elapsed() const
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(Witness::runningTime() - m_begin);
}

bool eventually(std::chrono::milliseconds limit, const std::function<bool()>& condition)
{
    const RunningTime time;
    while (!condition()) {
        if (time.elapsed() > limit)
            return false;
        std::this_thread::sleep_for(kTurn);
    }
    return true;
}

} // namespace ringside::test
