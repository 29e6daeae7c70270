// SPDX-License-Identifier: MIT
// A long line in user space: TCP on 127.0.0.1 to a port of the same host, every byte on its way for half a round trip.
// Bandwidth is not limited: bytes on their way are buffered here, up to 64 MiB a direction, far more than the windows
// of SSH allow. A connection's own handshake needs a round trip, too.
#pragma once

#include "core/base/descriptor.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace ringside::bench {

class DelayProxy
{
public:
    /// Listens on a free port from now on.
    explicit DelayProxy(int targetPort);
    ~DelayProxy();
    DelayProxy(const DelayProxy&) = delete;
    DelayProxy& operator=(const DelayProxy&) = delete;

    int port() const { return m_port; }
    /// For all that enters from now on.
    void setRoundTrip(std::chrono::milliseconds roundTrip) { m_roundTrip = roundTrip; }

private:
    void run(const std::stop_token& stop);

    int m_targetPort;
    Descriptor m_listener;
    Descriptor m_wake; ///< an eventfd: the end is near
    int m_port = 0;
    std::atomic<std::chrono::milliseconds> m_roundTrip{};
    std::jthread m_thread; ///< last: it uses the others
};

} // namespace ringside::bench
