// SPDX-License-Identifier: MIT
// Waiting for what a runner reacts to: the end of a child, a request to end, or simply time.
#pragma once

#include <chrono>
#include <csignal>

namespace ringside::runner {

/// Blocks SIGCHLD, SIGTERM, SIGINT, SIGUSR1 and ignores SIGHUP and SIGPIPE in this process while it lives. One per
/// process.
class Signals
{
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    /// Waits for one of the signals, at most `limit`.
    void wait(std::chrono::milliseconds limit);
    /// True once SIGTERM or SIGINT came.
    bool toldToEnd() const { return m_told; }
    /// True once SIGUSR1 came: the scheduler's warning before the job's time is over.
    bool warnedOfTime() const { return m_warned; }

private:
    sigset_t m_set;
    sigset_t m_before;
    bool m_told = false;
    bool m_warned = false;
};

} // namespace ringside::runner
