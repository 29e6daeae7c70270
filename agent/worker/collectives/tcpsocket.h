// SPDX-License-Identifier: MIT
// TCP connections between ranks: every wait has a limit, and bytes come whole or not at all.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ringside {

using Deadline = std::chrono::steady_clock::time_point;
inline Deadline deadlineIn(std::chrono::milliseconds limit)
{
    return std::chrono::steady_clock::now() + limit;
}

/// One end of a connection. Movable, owned by one thread at a time. Errors: unavailable if the other end is gone,
/// timeout after the deadline.
class TcpSocket
{
public:
    TcpSocket() = default;
    explicit TcpSocket(int descriptor);
    TcpSocket(TcpSocket&& other) noexcept;
    TcpSocket& operator=(TcpSocket&& other) noexcept;
    ~TcpSocket();

    /// `address` is numeric, IPv4 or IPv6.
    static Result<TcpSocket> connect(const std::string& address, std::uint16_t port, Deadline deadline);

    Result<void> write(std::span<const std::byte> bytes, Deadline deadline);
    Result<void> read(std::span<std::byte> bytes, Deadline deadline);

    /// Writes or reads as much as is possible at this moment: between none and all of the bytes.
    Result<std::size_t> writeSome(std::span<const std::byte> bytes);
    Result<std::size_t> readSome(std::span<std::byte> bytes);

    /// From now on reads and writes fail, also those that another thread waits in. Any thread.
    void hangUp();

    int descriptor() const { return m_descriptor; }

private:
    int m_descriptor = -1; ///< does not block
};

/// Waits for connections at a port of the system's choice, at every address of this host.
class TcpListener
{
public:
    static Result<TcpListener> open();
    TcpListener(TcpListener&&) = default;

    std::uint16_t port() const { return m_port; }
    /// Fails with unavailable while descriptors are used up, and once it was hung up.
    Result<TcpSocket> accept(Deadline deadline);
    void hangUp() { m_socket.hangUp(); }

private:
    explicit TcpListener(TcpSocket socket, std::uint16_t port)
        : m_socket(std::move(socket))
        , m_port(port)
    {
    }

    TcpSocket m_socket;
    std::uint16_t m_port = 0;
};

/// Numeric addresses at which others may reach this host, those that only this host can reach last; of this network
/// interface alone, unless it is empty.
std::vector<std::string> ownAddresses(const std::string& interface = {});

} // namespace ringside
