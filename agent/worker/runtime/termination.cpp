// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/termination.h"

#include <csignal>
#include <ctime>
#include <pthread.h>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kLook{100}; // how soon the thread notices that it should stop

sigset_t endSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

bool waitForSignal(std::chrono::nanoseconds limit)
{
    const auto set = endSignals();
    const timespec wait{0, static_cast<long>(limit.count())};
    return sigtimedwait(&set, nullptr, &wait) > 0;
}

} // namespace

Termination::Termination(std::chrono::milliseconds limit, std::function<void()> giveUp)
    : m_limit(limit)
    , m_giveUp(std::move(giveUp))
{
    const auto set = endSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_thread = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
    pthread_setname_np(m_thread.native_handle(), "termination");
}

Termination::~Termination() = default;

void Termination::work(std::stop_token stop)
{
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    while (!stop.stop_requested()) {
        if (waitForSignal(kLook) && !m_requested.exchange(true))
            deadline = std::chrono::steady_clock::now() + m_limit;
        if (std::chrono::steady_clock::now() >= deadline)
            m_giveUp();
    }
}

} // namespace ringside
