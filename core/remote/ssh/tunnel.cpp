// SPDX-License-Identifier: MIT
#include "core/remote/ssh/tunnel.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace ringside::ssh {

namespace {

constexpr std::size_t kPieceBytes = 64u << 10;

struct FreeChannel
{
    void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
};
using ChannelHandle = std::unique_ptr<ssh_channel_struct, FreeChannel>;

/// Inner socket <-> outer socket (a pair) <-> channel. One piece per direction is held when the other side is full.
class Tunnel : public Transport
{
public:
    Tunnel(std::unique_ptr<Session> session, ChannelHandle channel, Descriptor inner, Descriptor outer)
        : m_session(std::move(session))
        , m_channel(std::move(channel))
        , m_inner(std::move(inner))
        , m_outer(std::move(outer))
    {
    }

    int fd() const override { return m_inner.get(); }

    void pump() override
    {
        if (auto alive = m_session->tick(); !alive)
            return end(alive.error().message);
        std::uint64_t received = 0;
        do { // moving reads packets from the socket, which may let move what could not before
            received = m_session->receivedPackets();
            while (moveOut() || moveIn()) {
            }
        } while (m_session->receivedPackets() != received);
    }

    void addPolls(std::vector<pollfd>& set) const override
    {
        m_session->addPolls(set);
        const int events = (m_out.empty() ? POLLIN : 0) | (m_in.empty() ? 0 : POLLOUT);
        if (m_outer.get() >= 0)
            set.push_back({m_outer.get(), static_cast<short>(events), 0});
    }

    std::string problem() const override { return m_problem; }

private:
    /// The session above sees the end of its stream.
    void end(const std::string& problem)
    {
        if (m_problem.empty())
            m_problem = problem;
        m_outer.close();
    }

    /// True if something went towards the far host.
    bool moveOut()
    {
        char piece[kPieceBytes];
        if (m_out.empty() && m_outer.get() >= 0)
            if (const ssize_t n = ::recv(m_outer.get(), piece, sizeof piece, 0); n > 0)
                m_out.assign(piece, static_cast<std::size_t>(n));
        if (m_out.empty())
            return false;
        const int taken = ssh_channel_write(m_channel.get(), m_out.data(), static_cast<std::uint32_t>(m_out.size()));
        if (taken > 0)
            m_out.erase(0, static_cast<std::size_t>(taken));
        return taken > 0;
    }

    /// True if something came from there.
    bool moveIn()
    {
        char piece[kPieceBytes];
        if (m_in.empty()) {
            const int n = ssh_channel_read_nonblocking(m_channel.get(), piece, sizeof piece, 0);
            if (n == SSH_EOF || n == SSH_ERROR)
                end(Words::tr("{} closed the way", m_session->settings().place()));
            m_in.assign(piece, n > 0 ? static_cast<std::size_t>(n) : 0);
        }
        if (m_in.empty() || m_outer.get() < 0)
            return false;
        const ssize_t n = ::send(m_outer.get(), m_in.data(), m_in.size(), MSG_NOSIGNAL);
        if (n > 0)
            m_in.erase(0, static_cast<std::size_t>(n));
        return n > 0;
    }

    std::unique_ptr<Session> m_session;
    ChannelHandle m_channel; ///< goes before its session
    Descriptor m_inner;
    Descriptor m_outer;
    std::string m_out;
    std::string m_in;
    std::string m_problem;
};

/// RFC 4254, 5.1: reason 1 is "administratively prohibited". libssh reports it as a number.
Error notForwarded(const Session& session, const std::string& doing)
{
    Error refused = session.failure(Words::tr("{} failed", doing));
    refused.hint = refused.message.find("error (1)") != std::string::npos
                       ? Words::tr("The host in between forbids forwarding; ask its administrators.")
                       : Words::tr("Check name and port; the host in between has to know and to reach them.");
    return refused;
}

} // namespace

Result<std::unique_ptr<Transport>> openTunnel(std::unique_ptr<Session> session, const std::string& host, int port,
                                              const Deadline& deadline)
{
    const std::string doing = Words::tr("Connecting from {} to port {} of {}", session->settings().place(), port, host);
    ChannelHandle channel(ssh_channel_new(session->get()));
    TRY_ASSIGN(const int answer, session->finish(SSH_AGAIN, deadline, doing, [&] {
        return ssh_channel_open_forward(channel.get(), host.c_str(), port, "127.0.0.1", 0);
    }));
    if (answer != SSH_OK)
        return tl::unexpected(notForwarded(*session, doing));
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return fail(ErrorCode::unavailable, fmt::format("{}: {}.", doing, std::strerror(errno)),
                    Words::tr("Close other programs and try again."));
    return std::make_unique<Tunnel>(std::move(session), std::move(channel), Descriptor(ends[0]), Descriptor(ends[1]));
}

} // namespace ringside::ssh
