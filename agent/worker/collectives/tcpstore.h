// SPDX-License-Identifier: MIT
// How ranks without MPI find each other: a small store of named bytes in rank 0's process, and a secret by which both
// ends of every connection know that the other is a rank of the same attempt.
#pragma once

#include "agent/worker/collectives/tcpdoor.h"
#include "core/base/files.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ringside {

/// A secret that no connection ever carries: each end proves that it has it by HMAC-SHA-256 over random bytes of both.
class Token
{
public:
    static Result<Token> random();
    static Result<Token> fromText(std::string text);
    const std::string& text() const { return m_text; } ///< 64 hexadecimal digits

    /// Fails with permission if the other end has not the same secret. Who connected proves itself second.
    Result<void> proveAsConnector(TcpSocket& socket, Deadline deadline) const;
    Result<void> proveAsAcceptor(TcpSocket& socket, Deadline deadline) const;

private:
    explicit Token(std::string text)
        : m_text(std::move(text))
    {
    }
    std::string m_text;
};

/// Where a process listens and by which secret, as text; in a file that only its user can read.
struct MeetingPoint
{
    std::vector<std::string> addresses; ///< to be tried in this order
    std::uint16_t port = 0;

    std::string text() const; ///< one line
    static Result<MeetingPoint> fromText(std::string_view text);
    /// Tries its addresses until one answers with the secret.
    Result<TcpSocket> connect(const Token& token, Deadline deadline) const;
};

/// Rank 0's. Serves from its own threads until it is destroyed; who has not the secret is shown the door.
class TcpStore
{
public:
    /// Writes `file` (mode 0600), by which the others find it.
    static Result<std::unique_ptr<TcpStore>> serve(const fs::path& file);
    const Token& token() const { return m_token; }
    std::size_t refused() const; ///< connections without the secret

private:
    TcpStore(TcpListener listener, Token token);
    void talk(TcpSocket& socket, std::stop_token stop);
    Result<void> answer(TcpSocket& socket, std::stop_token stop);
    Result<std::string> waitFor(const std::string& key, std::stop_token stop);

    const Token m_token;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::string, std::string> m_values;
    std::size_t m_refused = 0;
    TcpDoor m_door;
};

/// Any rank's, rank 0's as well.
class TcpStoreClient
{
public:
    /// Waits for the file, then for the store. Fails with timeout.
    static Result<TcpStoreClient> connect(const fs::path& file, Deadline deadline);

    Result<void> set(const std::string& key, const std::string& value);
    /// Blocks until somebody has set it.
    Result<std::string> get(const std::string& key, Deadline deadline);
    const Token& token() const { return m_token; }

private:
    TcpStoreClient(TcpSocket socket, Token token)
        : m_socket(std::move(socket))
        , m_token(std::move(token))
    {
    }
    TcpSocket m_socket;
    Token m_token;
};

} // namespace ringside
