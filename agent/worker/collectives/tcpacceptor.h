// SPDX-License-Identifier: MIT
// Takes connections in, each of which is served by a thread of its own: one that says nothing holds up nobody.
#pragma once

#include "agent/worker/collectives/tcpsocket.h"

#include <atomic>
#include <functional>
#include <list>
#include <thread>

namespace ringside {

/// From its making to its end, which is at once: a connection that is still served then is hung up on, so what waits
/// for it fails. What waits for something else goes by the token.
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
    void letIn(TcpSocket socket);

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
