// SPDX-License-Identifier: MIT
#include "core/remote/ssh/agent.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace ringside::ssh {

namespace {

using std::chrono::milliseconds;

// draft-miller-ssh-agent
constexpr char kFailure = 5;
constexpr char kRequestIdentities = 11;
constexpr char kIdentitiesAnswer = 12;
constexpr char kSignRequest = 13;

constexpr milliseconds kListLimit{5'000};
constexpr std::uint32_t kMaxMessageBytes = 256u << 10; // as in OpenSSH
constexpr std::uint32_t kMaxIdentities = 1'000;

std::string number(std::size_t value)
{
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

std::string lengthAnd(std::string_view bytes)
{
    return number(bytes.size()).append(bytes);
}

std::optional<std::uint32_t> takeNumber(std::string_view& bytes)
{
    if (bytes.size() < 4)
        return std::nullopt;
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = (value << 8) | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    bytes.remove_prefix(4);
    return value;
}

std::optional<std::string> takeString(std::string_view& bytes)
{
    const auto length = takeNumber(bytes);
    if (!length || *length > bytes.size())
        return std::nullopt;
    std::string text(bytes.substr(0, *length));
    bytes.remove_prefix(*length);
    return text;
}

void setLimit(int socket, milliseconds limit)
{
    timeval time{limit.count() / 1000, (limit.count() % 1000) * 1000};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

bool receiveAll(int socket, char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t n = ::recv(socket, bytes, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

std::optional<std::string> receiveMessage(int socket)
{
    std::string header(4, '\0');
    if (!receiveAll(socket, header.data(), header.size()))
        return std::nullopt;
    std::string_view view = header;
    const std::uint32_t length = *takeNumber(view);
    if (length == 0 || length > kMaxMessageBytes)
        return std::nullopt;
    std::string message(length, '\0');
    return receiveAll(socket, message.data(), length) ? std::optional(std::move(message)) : std::nullopt;
}

bool sendMessage(int socket, std::string_view message)
{
    const std::string frame = lengthAnd(message);
    return ::send(socket, frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

Result<Descriptor> connectTo(const fs::path& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.native().size() >= sizeof address.sun_path)
        return fail(ErrorCode::unavailable, Words::tr("The path of the ssh-agent is too long: {}.", path.string()));
    std::memcpy(address.sun_path, path.c_str(), path.native().size());
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    setLimit(socket.get(), kListLimit);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail(ErrorCode::unavailable,
                    Words::tr("The ssh-agent at {} cannot be reached: {}.", path.string(), std::strerror(errno)));
    return socket;
}

Result<std::vector<AgentIdentity>> listIdentities(int socket)
{
    const auto answer = sendMessage(socket, std::string(1, kRequestIdentities)) ? receiveMessage(socket) : std::nullopt;
    if (!answer || answer->front() != kIdentitiesAnswer)
        return fail(ErrorCode::unavailable, Words::tr("The ssh-agent does not name its keys."));
    std::string_view rest = std::string_view(*answer).substr(1);
    const auto count = takeNumber(rest);
    std::vector<AgentIdentity> identities;
    for (std::uint32_t i = 0; count && i < std::min(*count, kMaxIdentities); ++i) {
        auto blob = takeString(rest);
        auto comment = takeString(rest);
        if (!blob || !comment)
            break;
        identities.push_back({std::move(*blob), plainText(*comment), {}});
    }
    return identities;
}

} // namespace

std::string AgentIdentity::type() const
{
    std::string_view rest = blob;
    return takeString(rest).value_or("");
}

Result<std::unique_ptr<Agent>> Agent::open(const fs::path& socket, milliseconds signLimit)
{
    TRY_ASSIGN(Descriptor agent, connectTo(socket));
    TRY_ASSIGN(std::vector<AgentIdentity> identities, listIdentities(agent.get()));
    setLimit(agent.get(), signLimit);
    return std::unique_ptr<Agent>(new Agent(std::move(agent), std::move(identities)));
}

Agent::Agent(Descriptor agent, std::vector<AgentIdentity> identities)
    : m_agent(std::move(agent))
    , m_identities(std::move(identities))
{
}

Agent::~Agent()
{
    if (!m_server.joinable())
        return;
    ::shutdown(m_near.get(), SHUT_RDWR); // ends both waits of the thread
    giveUp();
    m_server.join();
}

void Agent::giveUp()
{
    ::shutdown(m_agent.get(), SHUT_RDWR);
}

Result<void> Agent::attach(ssh_session session)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(ErrorCode::unavailable, Words::tr("cannot make a socket: {}.", std::strerror(errno)),
                    Words::tr("Close other programs and try again."));
    m_near = Descriptor(ends[0]);
    ssh_set_agent_socket(session, ends[1]); // the session closes it
    m_server = std::thread([this] { serve(); });
    return {};
}

void Agent::show(const AgentIdentity& identity)
{
    const std::lock_guard lock(m_mutex);
    m_shown = std::string(1, kIdentitiesAnswer) + number(1) + lengthAnd(identity.blob) + lengthAnd(identity.comment);
    m_signer = identity.signer;
}

void Agent::serve()
{
    while (const auto request = receiveMessage(m_near.get()))
        if (!sendMessage(m_near.get(), answerTo(*request)))
            return;
}

std::string Agent::answerTo(const std::string& request)
{
    if (request.front() == kRequestIdentities) {
        const std::lock_guard lock(m_mutex);
        return m_shown;
    }
    std::optional<std::string> answer;
    if (request.front() == kSignRequest && sendMessage(m_agent.get(), forwarded(request)))
        answer = receiveMessage(m_agent.get());
    if (!answer)
        giveUp(); // a late answer would be read as that to the next request
    return answer.value_or(std::string(1, kFailure));
}

/// An agent looks for the key that a request names, and signs whatever it gets: for a certificate that it does not
/// hold, the request names the key that it is for.
std::string Agent::forwarded(const std::string& signRequest)
{
    const std::lock_guard lock(m_mutex);
    std::string_view rest = std::string_view(signRequest).substr(1);
    if (m_signer.empty() || !takeString(rest))
        return signRequest;
    return std::string(1, kSignRequest) + lengthAnd(m_signer) + std::string(rest);
}

} // namespace ringside::ssh
