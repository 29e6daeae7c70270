// SPDX-License-Identifier: MIT
// One libssh session over one transport, never blocking inside libssh, with a limit on every wait. One thread.
#pragma once

#include "core/base/words.h"
#include "core/remote/ssh/settings.h"
#include "core/remote/ssh/transport.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <libssh/libssh.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ringside::ssh {

/// So many unanswered keep-alives mean that the other side is gone.
inline constexpr int kMissedKeepAlives = 3;

class Session
{
public:
    Session(std::unique_ptr<Transport> transport, HostSettings settings);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const HostSettings& settings() const { return m_settings; }
    ssh_session get() const { return m_session; }

    /// Exchanges versions and keys. `hostKeyTypes`: what the server may show, best first; empty for the usual ones.
    /// Only the protocol's greeting is sent. From now on a stop request of the deadline ends the session,
    /// whatever waits for it. Fails with unavailable if libssh knows none of the algorithms that the configuration
    /// demands.
    Result<void> handshake(const std::string& hostKeyTypes, const Deadline& deadline);

    /// Moves what waits on the way, in both directions.
    void pump();
    /// The sockets, and a descriptor that ends the poll when packets came since `tick` that no socket shows any more:
    /// read by another channel's `pump`, say.
    void addPolls(std::vector<pollfd>& set) const;
    /// Ends the next poll at once.
    void wake();
    /// Packets so far. A caller that looks at several things, and finds that this changed meanwhile, looks again.
    std::uint64_t receivedPackets() const { return m_packetCounter.in_packets; }
    std::uint64_t receivedBytes() const { return m_socketCounter.in_bytes; }
    /// The quickest of what took one round trip.
    std::chrono::nanoseconds roundTrip() const { return m_roundTrip; }
    void tookRoundTrip(std::chrono::nanoseconds time) { m_roundTrip = std::min(m_roundTrip, time); }
    /// Waits until something moves. Fails when the deadline is over.
    Result<void> wait(const Deadline& deadline, std::string_view doing);

    /// Calls a function of libssh until its answer is not `again`, and returns that answer.
    template <class Call> Result<int> finish(int again, const Deadline& deadline, std::string_view doing, Call call)
    {
        for (;;) {
            sleepAgain();
            pump();
            if (const int answer = call(); answer != again)
                return answer;
            if (!isAlive()) // some functions of libssh go on waiting
                return tl::unexpected(failure(Words::tr("{} failed", doing)));
            TRY(wait(deadline, doing));
        }
    }

    /// Sends a keep-alive when it is due. Fails, now and ever after, when the connection is lost.
    Result<void> tick();
    /// Says goodbye; everything on this session fails from now on.
    void close();
    /// Returns libssh's last message, as an Error of code `unavailable`.
    Error failure(std::string_view what) const;
    /// The same for a connection that has ended, from either side.
    Error lostConnection() const;
    /// True until the server, the network or `tick` ended it.
    bool isAlive() const;

private:
    void set(ssh_options_e option, const void* value);
    Result<void> setAlgorithms(const std::string& hostKeyTypes);
    Result<void> setDescriptor(const std::string& doing);
    void takeBackDescriptor();
    void endOnStop(const std::stop_token& stop);
    void sleepAgain();
    void askForLife();
    void sendKeepAlive();
    std::int64_t intervalNs() const;

    HostSettings m_settings;
    std::unique_ptr<Transport> m_transport;
    ssh_session m_session;
    ssh_event m_event; ///< drives the session between calls of libssh
    Descriptor m_wake;
    Descriptor m_given; ///< the transport's socket once more, for libssh, which may close this one
    ssh_counter_struct m_socketCounter{};
    ssh_counter_struct m_packetCounter{};
    std::uint64_t m_answeredPackets = 0; ///< of receivedPackets, when the last keep-alive was put off
    int m_unanswered = 0;
    std::int64_t m_dueNs = 0; ///< when the next keep-alive is
    std::chrono::nanoseconds m_roundTrip = std::chrono::nanoseconds::max();
    std::optional<Error> m_lost;
    std::optional<std::stop_callback<std::function<void()>>> m_onStop; ///< last: it uses the others
};

} // namespace ringside::ssh
