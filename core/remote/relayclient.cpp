// SPDX-License-Identifier: MIT
#include "core/remote/relayclient.h"

#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/words.h"
#include "core/wire/frames.h"

#include <algorithm>
#include <deque>
#include <sys/eventfd.h>

namespace ringside {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = 256u << 10;

/// A descriptor that becomes readable when another thread says so.
class Doorbell
{
public:
    Doorbell()
        : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
    }
    int fd() const { return m_fd.get(); }
    void ring() { (void)!::eventfd_write(m_fd.get(), 1); }
    bool answer()
    {
        eventfd_t rings;
        return ::eventfd_read(m_fd.get(), &rings) == 0;
    }

private:
    Descriptor m_fd;
};

int pollLimit(std::int64_t untilNs)
{
    const std::int64_t leftNs = untilNs - monotonicNs();
    return leftNs <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>(leftNs / 1'000'000 + 1, 3'600'000));
}

std::int64_t deadline(milliseconds limit)
{
    return monotonicNs() + toNs(limit);
}

wire::Hello ownHello()
{
    wire::Hello hello;
    hello.version = RINGSIDE_VERSION;
    hello.os = "linux";
    hello.monotonicNs = monotonicNs();
    hello.wallNs = wallNs();
    return hello;
}

std::string startFileHint()
{
    return Words::tr(
        "A start file of the login shell there (.bashrc, .profile, .cshrc) may start a program that reads its "
        "input or waits. It should do so for interactive shells only: “case $- in *i*) ;; *) return ;; esac” "
        "at the top of .bashrc.");
}

/// Quoted at the end of a sentence, where a shell's own line end would tear the message apart.
std::string withoutLineEnd(std::string text)
{
    text.erase(text.find_last_not_of(" \r\n") + 1);
    return text;
}

} // namespace

struct RelayClient::Parts
{
    std::string host;
    std::unique_ptr<Channel> channel;
    wire::FrameWriter writer;
    wire::FrameReader reader;
    wire::Hello peer;
    std::deque<wire::Message> arrived;
    Doorbell doorbell;

    Error withErrors(Error error)
    {
        const std::string said = withoutLineEnd(channel->errorText());
        const std::string printed = reader.started() ? std::string() : withoutLineEnd(std::string(reader.noise()));
        if (error.code == ErrorCode::io)
            error.code = ErrorCode::unavailable; // a pipe that breaks is a relay that is gone, not a disk
        error.message = Words::tr("The relay on {}: {}", host, error.message);
        if (!said.empty())
            error.message += " " + Words::tr("Its error output: {}", said);
        if (!printed.empty())
            error.message += " " + Words::tr("It printed: {}", printed);
        return error;
    }

    /// Reads what is there now. Fails when the relay has ended and everything it sent was read.
    Result<void> readAvailable()
    {
        auto bytes = channel->read(kReadBytes);
        if (!bytes)
            return tl::unexpected(withErrors(bytes.error()));
        auto fed = reader.feed(*bytes, [&](wire::Message&& message) { arrived.push_back(std::move(message)); });
        if (!fed)
            return tl::unexpected(withErrors(fed.error()));
        if (channel->atEnd() && arrived.empty())
            return tl::unexpected(withErrors(
                {ErrorCode::unavailable, Words::tr("it has ended."), Words::tr("Ringside connects again by itself.")}));
        return {};
    }

    bool wait(bool wantWrite, std::int64_t untilNs)
    {
        auto set = channel->pollSet(wantWrite);
        if (!wantWrite)
            set.push_back({doorbell.fd(), POLLIN, 0});
        ::poll(set.data(), set.size(), pollLimit(untilNs));
        return monotonicNs() < untilNs;
    }

    Result<void> sendAll(std::string_view bytes)
    {
        const std::int64_t endNs = deadline(kSendLimit * static_cast<int>(1 + bytes.size() / kSlowestBytes));
        std::int64_t untilNs = deadline(kSendLimit);
        while (!bytes.empty()) {
            auto taken = channel->write(bytes);
            if (!taken)
                return tl::unexpected(withErrors(taken.error()));
            if (*taken > 0)
                untilNs = std::min(endNs, deadline(kSendLimit));
            bytes.remove_prefix(*taken);
            TRY(readAvailable()); // or both sides would wait for each other
            if (!bytes.empty() && !wait(true, untilNs))
                return tl::unexpected(withErrors({ErrorCode::timeout, Words::tr("it accepted almost no data for 10 s."),
                                                  Words::tr("Check the machine and its connection.")}));
        }
        return {};
    }

    /// The first message has to be a Hello of a version that we know, and not our own that comes back.
    Result<void> greet(const wire::Hello& ours, milliseconds limit)
    {
        const std::int64_t untilNs = deadline(limit);
        while (arrived.empty()) {
            TRY(readAvailable());
            if (arrived.empty() && !wait(false, untilNs))
                return tl::unexpected(
                    withErrors({ErrorCode::timeout, Words::tr("no greeting within {} s.", limit.count() / 1000),
                                Words::tr("Check the machine and its connection.") + " " + startFileHint()}));
        }
        const auto* theirs = std::get_if<wire::Hello>(&arrived.front());
        if (!theirs)
            return tl::unexpected(withErrors({ErrorCode::damaged, Words::tr("its first message is no greeting."), {}}));
        if (*theirs == ours)
            return tl::unexpected(
                withErrors({ErrorCode::damaged, Words::tr("it sends back what is sent to it."), startFileHint()}));
        TRY(wire::negotiate(ours, *theirs).map([](auto) {}));
        peer = *theirs;
        arrived.pop_front();
        return {};
    }
};

RelayClient::RelayClient(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts))
{
}
RelayClient::RelayClient(RelayClient&&) noexcept = default;
RelayClient& RelayClient::operator=(RelayClient&&) noexcept = default;

RelayClient::~RelayClient()
{
    if (m_parts)
        close();
}

Result<RelayClient> RelayClient::connect(Host& host, const CommandLine& relay, milliseconds limit)
{
    auto parts = std::make_unique<Parts>();
    parts->host = host.name();
    TRY_ASSIGN(parts->channel, host.start(relay));
    RelayClient client(std::move(parts));
    const wire::Hello ours = ownHello();
    TRY(client.send(ours));
    TRY(client.m_parts->greet(ours, limit));
    return client;
}

const wire::Hello& RelayClient::peer() const
{
    return m_parts->peer;
}

Result<void> RelayClient::send(const wire::Message& message)
{
    TRY_ASSIGN(const std::string frame, m_parts->writer.write(message));
    return m_parts->sendAll(frame);
}

Result<std::optional<wire::Message>> RelayClient::receive(milliseconds timeout)
{
    const std::int64_t untilNs = deadline(timeout);
    auto& arrived = m_parts->arrived;
    for (bool inTime = true; arrived.empty() && inTime;) {
        TRY(m_parts->readAvailable());
        if (m_parts->doorbell.answer())
            break;
        inTime = arrived.empty() && m_parts->wait(false, untilNs);
    }
    if (arrived.empty())
        return std::nullopt;
    std::optional<wire::Message> message(std::move(arrived.front()));
    arrived.pop_front();
    return message;
}

void RelayClient::wake()
{
    m_parts->doorbell.ring();
}

void RelayClient::close()
{
    m_parts->channel->close(kCloseGrace);
}

CommandLine relayCommand(const std::string& agent, const std::string& root, const std::string& worker)
{
    CommandLine command{{agent, "relay", "--root", root}};
    if (!worker.empty())
        command.arguments.insert(command.arguments.end(), {"--worker", worker});
    return command;
}

} // namespace ringside
