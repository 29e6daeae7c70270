// SPDX-License-Identifier: MIT
#include "core/remote/ssh/channel.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <libssh/callbacks.h>

namespace ringside::ssh {

namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kPieceBytes = 256u << 10;
constexpr std::size_t kWriteBytes = 1u << 20; ///< at most so much waits inside libssh
constexpr int kLostExitCode = 255;            // as ssh says it

/// "TERM" -> 15; 0 for a name that this system does not know.
int signalNumber(const char* name)
{
    for (int number = 1; name && number < NSIG; ++number)
        if (const char* known = ::sigabbrev_np(number); known && std::strcmp(known, name) == 0)
            return number;
    return 0;
}

class SshChannel : public Channel
{
public:
    SshChannel(std::shared_ptr<Session> session, ssh_channel channel)
        : m_session(std::move(session))
        , m_channel(channel)
    {
        ssh_callbacks_init(&m_callbacks);
        m_callbacks.userdata = this;
        m_callbacks.channel_exit_status_function = [](ssh_session, ssh_channel, int status, void* self) {
            static_cast<SshChannel*>(self)->m_exitCode = status;
        };
        m_callbacks.channel_exit_signal_function = [](ssh_session, ssh_channel, const char* signal, int, const char*,
                                                      const char*, void* self) {
            static_cast<SshChannel*>(self)->m_exitCode = 128 + signalNumber(signal);
        };
        ssh_set_channel_callbacks(m_channel, &m_callbacks);
    }
    ~SshChannel() override { close(milliseconds(0)); }

    Result<std::string> read(std::size_t limit) override
    {
        std::string bytes;
        if (!m_channel || m_atEnd)
            return bytes;
        const auto alive = m_session->tick();
        drainErrors();
        TRY(readBuffered(bytes, limit));
        if (bytes.empty() && !m_atEnd && !alive)
            return tl::unexpected(alive.error());
        return bytes;
    }

    bool atEnd() const override { return m_atEnd || !m_channel; }

    Result<std::size_t> write(std::string_view bytes) override
    {
        TRY(m_session->tick());
        if (!m_channel || m_inputEnded || ssh_channel_is_closed(m_channel))
            return fail(ErrorCode::io, Words::tr("The command reads no more: it has ended."));
        if (ssh_blocking_flush(m_session->get(), 0) == SSH_AGAIN)
            return std::size_t{0}; // what was accepted before is still on its way
        const auto size = static_cast<std::uint32_t>(std::min(bytes.size(), kWriteBytes));
        const int taken = ssh_channel_write(m_channel, bytes.data(), size);
        m_session->pump();
        if (taken == SSH_ERROR)
            return tl::unexpected(m_session->failure(Words::tr("The command reads no more")));
        return static_cast<std::size_t>(taken);
    }

    void endInput() override
    {
        if (m_channel && !std::exchange(m_inputEnded, true))
            ssh_channel_send_eof(m_channel);
        m_session->pump();
    }

    std::vector<pollfd> pollSet(bool wantWrite) const override
    {
        m_session->pump();
        if (isReady(wantWrite))
            m_session->wake();
        std::vector<pollfd> set;
        m_session->addPolls(set);
        return set;
    }

    std::string errorText() override
    {
        drainErrors();
        return plainText(m_errorBytes);
    }

    int close(milliseconds grace) override
    {
        if (!m_channel)
            return m_exitCode;
        endInput();
        if (!waitForEnd(grace) && m_session->isAlive()) {
            ssh_channel_request_send_signal(m_channel, "KILL");
            m_exitCode = 128 + SIGKILL;
        }
        closeAndFree();
        return m_exitCode;
    }

private:
    /// libssh holds data that no poll of the socket shows, or accepts some.
    bool isReady(bool wantWrite) const
    {
        bool ready = !m_channel;
        for (std::uint64_t received = 0; !ready && received != m_session->receivedPackets();) {
            received = m_session->receivedPackets();
            ready = hasSomething(wantWrite);
        }
        return ready;
    }

    /// Asking reads packets from the socket: what one question found empty, the next may have filled.
    bool hasSomething(bool wantWrite) const
    {
        const bool toRead = !m_atEnd && ssh_channel_poll(m_channel, 0) != 0; // an error is to be read, too
        const bool flushed = (ssh_get_poll_flags(m_session->get()) & SSH_WRITE_PENDING) == 0;
        const bool toWrite = wantWrite && flushed && ssh_channel_window_size(m_channel) > 0;
        return toRead || toWrite || ssh_channel_poll(m_channel, 1) > 0;
    }

    /// libssh reads 4 KiB from the socket at a time, and a packet has up to 32: goes on while the socket has more.
    Result<void> readBuffered(std::string& bytes, std::size_t limit)
    {
        for (std::uint64_t received = 0; bytes.size() < limit && received != m_session->receivedBytes();) {
            received = m_session->receivedBytes();
            const int there = ssh_channel_poll(m_channel, 0);
            m_atEnd = there == SSH_EOF;
            if (there == SSH_ERROR && bytes.empty())
                return tl::unexpected(m_session->lostConnection());
            if (there < 0 || (there == 0 && bytes.empty()))
                break;
            const std::size_t before = bytes.size();
            const std::size_t size = std::min(static_cast<std::size_t>(there), limit - before);
            bytes.resize(before + size); // no more, for it fills them with zeros
            ssh_channel_read_nonblocking(m_channel, bytes.data() + before, static_cast<std::uint32_t>(size), 0);
        }
        return {};
    }

    void drainErrors()
    {
        char piece[4096];
        int n = 0;
        while (m_channel && (n = ssh_channel_read_nonblocking(m_channel, piece, sizeof piece, 1)) > 0)
            m_errorBytes.append(piece, std::min(static_cast<std::size_t>(n), kMaxErrorTextBytes - m_errorBytes.size()));
    }

    /// True when the command has ended or the connection has. Reads, so that the command does not wait for us.
    bool waitForEnd(milliseconds grace)
    {
        const Deadline deadline(grace);
        for (;;) {
            std::string dropped;
            const bool alive = m_session->tick().has_value();
            drainErrors();
            (void)readBuffered(dropped, kPieceBytes);
            if (!alive || ssh_channel_is_closed(m_channel))
                return true;
            const auto inTime = deadline.check("Ending a command"); // it may print without end
            if (!inTime || (dropped.empty() && !m_session->wait(deadline, "Ending a command")))
                return false;
        }
    }

    /// libssh sends the close only once everything before it has left.
    void closeAndFree()
    {
        const Deadline deadline(m_session->isAlive() ? kCloseLimit : milliseconds(0));
        ssh_remove_channel_callbacks(m_channel, &m_callbacks);
        (void)m_session->finish(SSH_AGAIN, deadline, "Closing a channel",
                                [&] { return m_session->isAlive() ? ssh_channel_close(m_channel) : SSH_OK; });
        ssh_channel_free(std::exchange(m_channel, nullptr));
        m_session->pump();
    }

    static constexpr milliseconds kCloseLimit{2'000};

    std::shared_ptr<Session> m_session;
    ssh_channel m_channel;
    ssh_channel_callbacks_struct m_callbacks{};
    std::string m_errorBytes;
    bool m_atEnd = false;
    bool m_inputEnded = false;
    int m_exitCode = kLostExitCode;
};

Error notOpened(const Session& session)
{
    return {
        ErrorCode::busy, session.failure(Words::tr("{} opens no further channel", session.settings().place())).message,
        Words::tr(
            "Its sshd may allow fewer on one connection (MaxSessions), or your account may have too many processes.")};
}

/// Calls a function of libssh for each of so many until none of them answers SSH_AGAIN. The worst of their answers.
template <class Call>
Result<int> finishAll(Session& session, std::size_t count, const Deadline& deadline, std::string_view doing, Call call)
{
    static_assert(SSH_AGAIN < SSH_ERROR && SSH_ERROR < SSH_OK);
    std::vector<int> answers(count, SSH_AGAIN);
    return session.finish(SSH_AGAIN, deadline, doing, [&] {
        for (std::size_t i = 0; i < count; ++i)
            if (answers[i] == SSH_AGAIN)
                answers[i] = call(i);
        return *std::ranges::min_element(answers);
    });
}

} // namespace

Result<std::vector<std::unique_ptr<Channel>>> openChannels(const std::shared_ptr<Session>& session,
                                                           const std::vector<std::string>& shellLines,
                                                           const Deadline& deadline)
{
    const std::string doing = Words::tr("Starting a command on {}", session->settings().place());
    const std::size_t count = shellLines.size();
    std::vector<ssh_channel> handles;
    std::vector<std::unique_ptr<Channel>> channels;
    for (std::size_t i = 0; i < count; ++i)
        channels.push_back(
            std::make_unique<SshChannel>(session, handles.emplace_back(ssh_channel_new(session->get()))));
    const std::int64_t beganNs = monotonicNs();
    TRY_ASSIGN(const int opened, finishAll(*session, count, deadline, doing,
                                           [&](std::size_t i) { return ssh_channel_open_session(handles[i]); }));
    session->tookRoundTrip(std::chrono::nanoseconds(monotonicNs() - beganNs));
    if (opened != SSH_OK)
        return tl::unexpected(notOpened(*session));
    TRY_ASSIGN(const int started, finishAll(*session, count, deadline, doing, [&](std::size_t i) {
                   return ssh_channel_request_exec(handles[i], shellLines[i].c_str());
               }));
    if (started != SSH_OK)
        return tl::unexpected(session->failure(Words::tr("{} failed", doing)));
    return channels;
}

} // namespace ringside::ssh
