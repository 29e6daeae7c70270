// SPDX-License-Identifier: MIT
#include "core/remote/ssh/session.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <libssh/server.h> // ssh_send_keepalive
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#if defined(__aarch64__)
#include <asm/hwcap.h>
#endif

namespace ringside::ssh {

namespace {

/// The option of libssh behind a keyword of ssh_config.
constexpr std::pair<const char*, ssh_options_e> kAlgorithmOptions[] = {
    {"ciphers", SSH_OPTIONS_CIPHERS_C_S},
    {"ciphers", SSH_OPTIONS_CIPHERS_S_C},
    {"macs", SSH_OPTIONS_HMAC_C_S},
    {"macs", SSH_OPTIONS_HMAC_S_C},
    {"kexalgorithms", SSH_OPTIONS_KEY_EXCHANGE},
    {"hostkeyalgorithms", SSH_OPTIONS_HOSTKEYS},
    {"pubkeyacceptedalgorithms", SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES},
};

bool hasAesInstructions()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes");
#elif defined(__aarch64__)
    return (::getauxval(AT_HWCAP) & HWCAP_AES) != 0;
#else
    return false;
#endif
}

bool isSameFile(int one, int other)
{
    struct stat first, second;
    return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/// The usual ones of ssh and libssh. Both prefer ChaCha20, for processors without instructions for AES; with them
/// AES-GCM takes half the time, sshd's included.
constexpr const char* kCiphersByInstructions =
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,aes192-ctr,aes128-ctr";

} // namespace

Session::Session(std::unique_ptr<Transport> transport, HostSettings settings)
    : m_settings(std::move(settings))
    , m_transport(std::move(transport))
    , m_session(ssh_new())
    , m_event(ssh_event_new())
    , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    ssh_set_blocking(m_session, 0);
    ssh_set_counters(m_session, &m_socketCounter, &m_packetCounter);
}

Session::~Session()
{
    close();
    ssh_event_free(m_event);
    ssh_free(m_session);
    takeBackDescriptor();
}

void Session::close()
{
    if (!isAlive())
        return;
    ssh_disconnect(m_session);
    m_transport->pump(); // a goodbye through a tunnel
    m_lost = Error{ErrorCode::unavailable, Words::tr("The connection to {} was closed.", m_settings.place()), {}};
}

void Session::set(ssh_options_e option, const void* value)
{
    ssh_options_set(m_session, option, value);
}

Result<void> Session::setAlgorithms(const std::string& hostKeyTypes)
{
    if (hasAesInstructions())
        m_settings.algorithms.try_emplace("ciphers", kCiphersByInstructions);
    for (const auto& [keyword, option] : kAlgorithmOptions) {
        const auto found = m_settings.algorithms.find(keyword);
        if (found != m_settings.algorithms.end() && ssh_options_set(m_session, option, found->second.c_str()) != SSH_OK)
            return fail(ErrorCode::unavailable,
                        Words::tr("{}: libssh knows none of “{}”, which the ssh configuration demands as {}.",
                                  m_settings.place(), plainText(found->second), keyword),
                        Words::tr("Name others there, or leave the line out."));
    }
    if (!hostKeyTypes.empty())
        set(SSH_OPTIONS_HOSTKEYS, hostKeyTypes.c_str());
    return {};
}

Result<void> Session::handshake(const std::string& hostKeyTypes, const Deadline& deadline)
{
    const bool noConfig = false;
    endOnStop(deadline.stop());
    const std::string doing = Words::tr("The first exchange with {}", m_settings.place());
    TRY(setDescriptor(doing));
    set(SSH_OPTIONS_PROCESS_CONFIG, &noConfig);
    set(SSH_OPTIONS_HOST, m_settings.hostName.c_str());
    set(SSH_OPTIONS_USER, m_settings.user.c_str());
    set(SSH_OPTIONS_KNOWNHOSTS, "/dev/null"); // hostkeys.h looks, in all files and with their lines
    set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
    TRY(setAlgorithms(hostKeyTypes));
    TRY_ASSIGN(const int answer, finish(SSH_AGAIN, deadline, doing, [&] { return ssh_connect(m_session); }));
    if (answer != SSH_OK)
        return tl::unexpected(failure(Words::tr("{} failed", doing)));
    const int socket = m_transport->fd();
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK); // libssh clears that while it connects
    ssh_event_add_session(m_event, m_session);
    m_dueNs = monotonicNs() + intervalNs();
    return {};
}

Result<void> Session::setDescriptor(const std::string& doing)
{
    m_given = Descriptor(::fcntl(m_transport->fd(), F_DUPFD_CLOEXEC, 0));
    const int given = m_given.get();
    if (given < 0)
        return fail(ErrorCode::unavailable, fmt::format("{}: {}.", doing, std::strerror(errno)),
                    Words::tr("Close other programs and try again."));
    set(SSH_OPTIONS_FD, &given);
    return {};
}

/// libssh closes it when the connection is lost, and not when it said goodbye, and does not tell which it was. A number
/// that it closed may name another file of this process by now; one that still names this socket is ours.
void Session::takeBackDescriptor()
{
    if (!isSameFile(m_given.get(), m_transport->fd()))
        (void)m_given.release();
}

/// No wait has to know of it: a socket that is shut ends every one of them, as a lost connection does. It uses the
/// transport's descriptor, for libssh may close its own at any time, and another thread requests the stop.
void Session::endOnStop(const std::stop_token& stop)
{
    m_onStop.emplace(stop, [this] { ::shutdown(m_transport->fd(), SHUT_RDWR); });
}

void Session::pump()
{
    const std::uint64_t received = receivedPackets();
    m_transport->pump();
    ssh_event_dopoll(m_event, 0);
    m_transport->pump();
    if (receivedPackets() != received)
        wake();
}

void Session::wake()
{
    ::eventfd_write(m_wake.get(), 1);
}

void Session::sleepAgain()
{
    eventfd_t ignored = 0;
    ::eventfd_read(m_wake.get(), &ignored);
}

void Session::addPolls(std::vector<pollfd>& set) const
{
    const bool wantsOut = (ssh_get_poll_flags(m_session) & SSH_WRITE_PENDING) != 0;
    set.push_back({m_transport->fd(), static_cast<short>(POLLIN | (wantsOut ? POLLOUT : 0)), 0});
    set.push_back({m_wake.get(), POLLIN, 0});
    m_transport->addPolls(set);
}

Result<void> Session::wait(const Deadline& deadline, std::string_view doing)
{
    TRY(deadline.check(doing));
    std::vector<pollfd> set;
    addPolls(set);
    deadline.poll(std::move(set));
    return {};
}

Error Session::failure(std::string_view what) const
{
    const std::string problem = m_transport->problem();
    return {ErrorCode::unavailable,
            fmt::format("{}: {}.", what, plainText(problem.empty() ? ssh_get_error(m_session) : problem)),
            Words::tr("Check the network, and whether the machine is up.")};
}

Error Session::lostConnection() const
{
    return m_lost ? *m_lost : failure(Words::tr("The connection to {} was lost", m_settings.place()));
}

bool Session::isAlive() const
{
    return !m_lost && ssh_is_connected(m_session);
}

/// libssh reads the answer to the last one before it sends the next, so that a call may have sent nothing.
void Session::sendKeepAlive()
{
    const std::uint64_t sent = m_packetCounter.out_packets;
    ssh_send_keepalive(m_session);
    if (m_packetCounter.out_packets == sent)
        ssh_send_keepalive(m_session);
}

/// Counts what was asked and not answered rather than time: this computer may have slept meanwhile.
Result<void> Session::tick()
{
    if (m_lost)
        return tl::unexpected(*m_lost);
    sleepAgain();
    pump();
    if (receivedPackets() != m_answeredPackets) {
        m_answeredPackets = receivedPackets();
        m_unanswered = 0;
        m_dueNs = monotonicNs() + intervalNs();
    }
    if (!ssh_is_connected(m_session))
        m_lost = lostConnection();
    else if (monotonicNs() >= m_dueNs)
        askForLife();
    return m_lost ? Result<void>(tl::unexpected(*m_lost)) : Result<void>();
}

void Session::askForLife()
{
    if (m_unanswered == kMissedKeepAlives) {
        m_lost = Error{ErrorCode::unavailable,
                       Words::tr("{} answered nothing for {} s.", m_settings.place(),
                                 kMissedKeepAlives * intervalNs() / 1'000'000'000),
                       Words::tr("Check the network, and whether the machine is up.")};
        return;
    }
    ++m_unanswered;
    m_dueNs = monotonicNs() + intervalNs();
    sendKeepAlive();
}

std::int64_t Session::intervalNs() const
{
    return toNs(m_settings.keepAlive);
}

} // namespace ringside::ssh
