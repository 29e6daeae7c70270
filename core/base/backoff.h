// SPDX-License-Identifier: MIT
// The pauses of a thread that looks again and again whether something has happened.
#pragma once

#include <chrono>
#include <thread>

namespace ringside {

/// It yields its core at first, since what is nearly there comes before the kernel's shortest sleep of some 50 µs ends,
/// and sleeps between looks afterwards, since its core may be one that computes. Begins when it is made.
class Backoff
{
public:
    Backoff(std::chrono::microseconds awake, std::chrono::microseconds sleep)
        : m_began(Clock::now())
        , m_awake(awake)
        , m_sleep(sleep)
    {
    }
    void pause() const
    {
        if (Clock::now() - m_began < m_awake)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(m_sleep);
    }

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point m_began;
    std::chrono::microseconds m_awake, m_sleep;
};

} // namespace ringside
