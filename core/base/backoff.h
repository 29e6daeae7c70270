// SPDX-License-Identifier: MIT
// The pauses of a thread that looks again and again whether something has happened.
#pragma once

#include <chrono>
#include <thread>

namespace ringside {

/// The first pauses of a thread, while what it waits for is probably nearly there.
enum class Awake
{
    yields, ///< lets other threads run on its core, which may cost a turn of the scheduler
    spins   ///< keeps its core: for waits of microseconds
};

/// The thread stays awake at first, since what is nearly there comes before the kernel's shortest sleep of some 50 µs
/// ends, and sleeps between looks afterwards, since its core may be one that computes. Begins when it is made.
class Backoff
{
public:
    Backoff(std::chrono::microseconds awake, std::chrono::microseconds sleep, Awake how = Awake::yields)
        : m_began(Clock::now())
        , m_awake(awake)
        , m_sleep(sleep)
        , m_how(how)
    {
    }
    /// Returns whether it slept.
    bool pause() const
    {
        const bool sleeps = Clock::now() - m_began >= m_awake;
        if (sleeps)
            std::this_thread::sleep_for(m_sleep);
        else if (m_how == Awake::yields)
            std::this_thread::yield();
        else
            spin();
        return sleeps;
    }

private:
    using Clock = std::chrono::steady_clock;

    static void spin()
    {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    Clock::time_point m_began;
    std::chrono::microseconds m_awake, m_sleep;
    Awake m_how;
};

} // namespace ringside
