// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpacceptor.h"

#include <system_error>

namespace ringside {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTurn{10'000}; // between two looks for threads that have ended, while none connects
constexpr milliseconds kRest{50};     // where descriptors or threads are used up: it would fail at once again
constexpr std::size_t kMaxTalks = 4096;

} // namespace

TcpAcceptor::TcpAcceptor(TcpListener listener, Serve serve)
    : m_listener(std::move(listener))
    , m_serve(std::move(serve))
    , m_acceptor([this](std::stop_token stop) { accept(std::move(stop)); })
{
}

TcpAcceptor::~TcpAcceptor()
{
    m_acceptor.request_stop();
    m_acceptor.join();
    for (Talk& talk : m_talks)
        talk.thread.request_stop();
    m_talks.clear();
}

void TcpAcceptor::accept(std::stop_token stop)
{
    const std::stop_callback hangUp(stop, [this] { m_listener.hangUp(); });
    while (!stop.stop_requested()) {
        auto socket = m_listener.accept(deadlineIn(kTurn));
        m_talks.remove_if([](const Talk& talk) { return talk.ended.load(); });
        if (socket && m_talks.size() < kMaxTalks)
            admit(std::move(*socket));
        else if (!socket && socket.error().code != ErrorCode::timeout && !stop.stop_requested())
            std::this_thread::sleep_for(kRest);
    }
}

void TcpAcceptor::admit(TcpSocket socket)
{
    Talk& begun = m_talks.emplace_back();
    try {
        begun.thread = std::jthread([this, &begun, taken = std::move(socket)](std::stop_token stop) mutable {
            m_serve(taken, std::move(stop));
            begun.ended = true;
        });
    } catch (const std::system_error&) { // no thread is left: hung up on, and who needs it tries again
        m_talks.pop_back();
        std::this_thread::sleep_for(kRest);
    }
}

} // namespace ringside
