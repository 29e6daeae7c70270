// SPDX-License-Identifier: MIT
// Waiting for what a runner reacts to: the end of a child, a request to end, or simply time.
#pragma once

#include <chrono>
#include <csignal>

namespace ringside::runner {

/// Blocks SIGCHLD, SIGTERM, SIGINT and ignores SIGHUP and SIGPIPE in this process while it lives. One per process.
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

private:
    sigset_t m_set;
    sigset_t m_before;
    bool m_told = false;
};

} // namespace ringside::runner
