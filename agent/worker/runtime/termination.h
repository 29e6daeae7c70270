// SPDX-License-Identifier: MIT
// SIGTERM and SIGINT as a wish that the training loop looks at once an iteration.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace ringside {

/// Blocks both signals in the calling thread, and so in every thread started later; a thread of its own waits for them.
/// Construct one, before any other thread of the process.
class Termination
{
public:
    /// If the process is still there `limit` after the first signal (an iteration lasts longer, or a peer is lost and a
    /// collective never returns), `giveUp` is called on this object's thread; it should save as much as it can and not
    /// return.
    Termination(std::chrono::milliseconds limit, std::function<void()> giveUp);
    ~Termination();

    bool requested() const { return m_requested.load(std::memory_order_relaxed); }

private:
    void work(std::stop_token stop);

    std::chrono::milliseconds m_limit;
    std::function<void()> m_giveUp;
    std::atomic<bool> m_requested{false};
    std::jthread m_thread;
};

} // namespace ringside
