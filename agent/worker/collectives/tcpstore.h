// SPDX-License-Identifier: MIT
// Lets ranks without MPI find each other: a small store of named bytes in rank 0's process, and a secret by which both
// ends of every connection know that the other is a rank of the same attempt.
#pragma once

#include "agent/worker/collectives/tcpacceptor.h"
#include "core/base/files.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ringside {

/// Limits of the waits for other ranks.
struct MeetingLimits
{
    /// For all ranks together. A host that ssh reaches late, or a cold libtorch on a slow file server, may take
    /// minutes. Shorter than the runner's limit for a start (a quarter of an hour), since ranks know who is missing.
    std::chrono::milliseconds all{600'000};
    /// An address of another network may swallow everything.
    std::chrono::milliseconds address{3'000};
    /// A peer that says nothing is rejected; one that was only slow connects again.
    std::chrono::milliseconds proof{5'000};
};

/// Between which ranks a connection is; what is no rank, the store or who asks it, is kNone.
struct Route
{
    static constexpr std::uint32_t kNone = 0xffff'ffff;
    std::uint32_t from = kNone; ///< connects
    std::uint32_t to = kNone;   ///< accepts
};

/// A secret that no connection ever carries: each end proves that it has it by HMAC-SHA-256 over the route and random
/// bytes of both. The route, since an address of one host may be that of another, too (a bridge of containers), and a
/// port be the same by chance.
class Token
{
public:
    static Result<Token> random();
    static Result<Token> fromText(std::string text);
    const std::string& text() const { return m_text; } ///< 64 hexadecimal digits

    /// Fails with permission if the other end has not the same secret or is not where the route ends. The connecting
    /// end proves itself second. The other end, once it is known, is waited for until `welcome`.
    Result<void> proveAsConnector(TcpSocket& socket, Route route, Deadline proof, Deadline welcome) const;
    /// Returns where the route begins. `self` is where it ends.
    Result<std::uint32_t> proveAsAcceptor(TcpSocket& socket, std::uint32_t self, Deadline deadline) const;
    /// The acceptor's last message: without it a connector whose proof came too late would believe that it is
    /// connected. Does not wait.
    static Result<void> welcome(TcpSocket& socket);

private:
    explicit Token(std::string text)
        : m_text(std::move(text))
    {
    }
    std::string proofOf(std::string_view role, Route route, const std::string& connector,
                        const std::string& acceptor) const;

    std::string m_text;
};

/// Address at which a process listens, and its secret, as text; in a file that only its user can read.
struct MeetingPoint
{
    std::vector<std::string> addresses; ///< to be tried in this order
    std::uint16_t port = 0;

    std::string text() const; ///< one line
    static Result<MeetingPoint> fromText(std::string_view text);
    /// Tries its addresses until one answers with the secret, again and again until the deadline. Fails at once, with
    /// permission, if something else answers at each of them.
    Result<TcpSocket> connect(const Token& token, Route route, Deadline deadline,
                              const MeetingLimits& limits = {}) const;

private:
    Result<TcpSocket> tryEach(const Token& token, Route route, Deadline deadline, const MeetingLimits& limits) const;
};

/// Rank 0's. Serves from its own threads until it is destroyed; a peer without the secret is rejected.
class TcpStore
{
public:
    static Result<std::unique_ptr<TcpStore>> serve(const MeetingLimits& limits = {});
    /// And writes `file` (mode 0600), by which the others find it.
    static Result<std::unique_ptr<TcpStore>> serve(const fs::path& file, const MeetingLimits& limits = {});
    const Token& token() const { return m_token; }
    /// Data that the others need, including the secret: pass it only where no one else can read it.
    const std::string& invitation() const { return m_invitation; }
    std::size_t refused() const; ///< connections without the secret

private:
    TcpStore(TcpListener listener, Token token, std::string invitation, const MeetingLimits& limits);
    void talk(TcpSocket& socket, std::stop_token stop);
    Result<void> answer(TcpSocket& socket, std::stop_token stop);
    Result<std::string> waitFor(const std::string& key, std::stop_token stop);

    const Token m_token;
    const std::string m_invitation;
    const MeetingLimits m_limits;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::string, std::string> m_values;
    std::size_t m_refused = 0;
    TcpAcceptor m_acceptor;
};

/// Any rank's, rank 0's as well.
class TcpStoreClient
{
public:
    /// Waits for the file, then for the store. Fails with timeout.
    static Result<TcpStoreClient> connect(const fs::path& file, Deadline deadline, const MeetingLimits& limits = {});
    static Result<TcpStoreClient> follow(const std::string& invitation, Deadline deadline,
                                         const MeetingLimits& limits = {});

    Result<void> set(const std::string& key, const std::string& value);
    /// Blocks until it has been set.
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
