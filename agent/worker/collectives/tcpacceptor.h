// SPDX-License-Identifier: MIT
// Accepts connections, each served by a thread of its own: a silent one holds up no other.
#pragma once

#include "agent/worker/collectives/tcpsocket.h"

#include <atomic>
#include <functional>
#include <list>
#include <thread>

namespace ringside {

/// Lives from construction to destruction, which is immediate: a connection still being served is closed then, so that
/// its waits fail. Waits for anything else end by the token.
class TcpAcceptor
{
public:
    /// Called by the connection's thread. May move from the socket, which is hung up on no more then.
    using Serve = std::function<void(TcpSocket& socket, std::stop_token stop)>;

    TcpAcceptor(TcpListener listener, Serve serve);
    ~TcpAcceptor();
    TcpAcceptor(const TcpAcceptor&) = delete;
    TcpAcceptor& operator=(const TcpAcceptor&) = delete;

private:
    void accept(std::stop_token stop);
    void admit(TcpSocket socket);

    struct Talk
    {
        std::atomic<bool> ended{false};
        std::jthread thread;
    };

    TcpListener m_listener;
    const Serve m_serve;
    std::list<Talk> m_talks; ///< of the accepting thread, until that has ended
    std::jthread m_acceptor;
};

} // namespace ringside
