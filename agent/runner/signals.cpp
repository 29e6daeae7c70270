// SPDX-License-Identifier: MIT
#include "agent/runner/signals.h"

#include <ctime>

namespace ringside::runner {

Signals::Signals()
{
    sigemptyset(&m_set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGUSR1})
        sigaddset(&m_set, signal);
    sigprocmask(SIG_BLOCK, &m_set, &m_before);
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
}

Signals::~Signals()
{
    sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

void Signals::wait(std::chrono::milliseconds limit)
{
    timespec timeout{limit.count() / 1'000, limit.count() % 1'000 * 1'000'000};
    for (int signal; (signal = sigtimedwait(&m_set, nullptr, &timeout)) > 0; timeout = {0, 0}) {
        m_told = m_told || signal == SIGTERM || signal == SIGINT;
        m_warned = m_warned || signal == SIGUSR1;
    }
}

} // namespace ringside::runner
