// SPDX-License-Identifier: MIT
#include "agent/relay/relay.h"

#include "agent/relay/campaigns.h"
#include "agent/relay/follower.h"
#include "agent/relay/output.h"
#include "agent/relay/probe.h"
#include "core/base/clock.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// Without anything to follow, so that ended runners are reaped some day.
constexpr std::int64_t kIdleNs = 60'000'000'000;

wire::Hello hello(const fs::path& root)
{
    utsname names{};
    ::uname(&names);
    wire::Hello hello;
    hello.version = RINGSIDE_VERSION;
    hello.host = names.nodename;
    hello.os = "linux";
    hello.arch = names.machine;
    hello.root = root.string();
    hello.monotonicNs = monotonicNs();
    hello.wallNs = wallNs();
    return hello;
}

class Relay
{
public:
    explicit Relay(const RelayOptions& options)
        : m_options(options)
        , m_campaigns(options)
        , m_output(STDOUT_FILENO)
    {
    }

    Result<void> serve()
    {
        TRY(m_output.add(hello(m_options.root)));
        while (!m_inputEnded) {
            TRY(m_output.flush());
            wait();
            TRY(readInput());
            TRY(followAll());
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
        }
        return {};
    }

    Result<void> operator()(const wire::Hello& theirs)
    {
        return wire::negotiate(hello(m_options.root), theirs).map([](auto) {});
    }
    Result<void> operator()(const wire::ProbeRequest& request)
    {
        return m_output.add(wire::ProbeReply{request.requestId, probe(m_options)});
    }
    Result<void> operator()(const wire::SubmitRequest& request) { return answer(m_campaigns.submit(request)); }
    Result<void> operator()(const wire::StatusRequest& request) { return m_output.add(m_campaigns.status(request)); }
    Result<void> operator()(const wire::ControlRequest& request) { return answer(m_campaigns.control(request)); }
    Result<void> operator()(const wire::DeleteRequest& request) { return answer(m_campaigns.remove(request)); }
    Result<void> operator()(const wire::FollowRequest& request)
    {
        TRY_ASSIGN(Follower follower, Follower::start(m_options.root, request));
        m_followers.erase(request.campaign);
        m_followers.emplace(request.campaign, std::move(follower));
        return {};
    }
    Result<void> operator()(const wire::UnfollowRequest& request)
    {
        m_followers.erase(request.campaign);
        return {};
    }
    Result<void> operator()(const wire::Ping& ping) { return m_output.add(wire::Pong{ping.nonce}); }
    Result<void> operator()(const wire::Pong&) { return {}; }
    template <class Other> Result<void> operator()(const Other&)
    {
        return fail(ErrorCode::usage, "This relay does not know that request.",
                    "Ringside on this machine may be older.");
    }

private:
    template <class Reply> Result<void> answer(Result<Reply> reply)
    {
        TRY(reply);
        return m_output.add(*reply);
    }

    void wait()
    {
        std::int64_t dueNs = monotonicNs() + kIdleNs;
        for (const auto& [campaign, follower] : m_followers)
            dueNs = m_output.roomy() ? std::min(dueNs, follower.dueNs()) : dueNs;
        const std::int64_t waitMs = std::max<std::int64_t>(0, (dueNs - monotonicNs() + 999'999) / 1'000'000);
        pollfd set[] = {{STDIN_FILENO, POLLIN, 0}, {m_output.empty() ? -1 : STDOUT_FILENO, POLLOUT, 0}};
        ::poll(set, 2, static_cast<int>(waitMs));
    }

    Result<void> readInput()
    {
        char buffer[1 << 16];
        const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
        m_inputEnded = n == 0;
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fail(ErrorCode::io, fmt::format("cannot read standard input: {}.", std::strerror(errno)));
        std::vector<wire::Message> messages;
        const std::string_view bytes(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
        const auto fed = m_input.feed(bytes, [&](wire::Message&& message) { messages.push_back(std::move(message)); });
        for (const auto& message : messages)
            TRY(take(message));
        return fed;
    }

    /// A request that fails is answered; only a broken pipe ends the relay.
    Result<void> take(const wire::Message& message)
    {
        auto taken = std::visit(*this, message);
        if (!taken)
            return m_output.add(wire::ErrorReply{wire::requestIdOf(message), taken.error()});
        return {};
    }

    Result<void> followAll()
    {
        for (auto& [campaign, follower] : m_followers)
            TRY(follower.turn(monotonicNs(), m_output));
        return {};
    }

    RelayOptions m_options;
    Campaigns m_campaigns;
    Output m_output;
    wire::FrameReader m_input;
    std::map<CampaignId, Follower> m_followers;
    bool m_inputEnded = false;
};

} // namespace

Result<void> serve(const RelayOptions& options)
{
    RelayOptions absolute = options;
    absolute.root = fs::absolute(options.root).lexically_normal();
    TRY(makePrivateFolder(absolute.root));
    ::signal(SIGPIPE, SIG_IGN);
    ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    return Relay(absolute).serve();
}

} // namespace ringside::relay
