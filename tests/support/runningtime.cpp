// SPDX-License-Identifier: MIT
#include "tests/support/runningtime.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace ringside::test {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{10};
/// A turn that took longer was not one of a busy machine, which gives each thread some milliseconds of every second.
constexpr nanoseconds kLongestTurn = std::chrono::seconds(1);

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
            m_running += std::min<nanoseconds>(now - last, kLongestTurn).count();
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

} // namespace ringside::test
