// SPDX-License-Identifier: MIT
// Measures the stalls of a window's thread: an event is posted to it every 2 ms, and its delay until it is handled is
// the stall that a user would feel. To be used on the window's thread.
#pragma once

#include "core/base/clock.h"

#include <QCoreApplication>
#include <thread>
#include <vector>

namespace ringside::bench {

class StallProbe
{
public:
    void start()
    {
        m_thread = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                const std::int64_t sentNs = monotonicNs();
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [this, sentNs] { m_delaysMs.push_back(double(monotonicNs() - sentNs) / 1e6); },
                    Qt::QueuedConnection);
                std::this_thread::sleep_for(kPause);
            }
        });
    }
    void stop() { m_thread = {}; }

    /// Precondition: stopped, and something was measured.
    const std::vector<double>& delaysMs() const { return m_delaysMs; }

private:
    static constexpr std::chrono::milliseconds kPause{2};

    std::vector<double> m_delaysMs;
    std::jthread m_thread;
};

} // namespace ringside::bench
