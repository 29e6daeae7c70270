// SPDX-License-Identifier: MIT
#include "agent/relay/relay.h"

#include "agent/relay/campaigns.h"
#include "agent/relay/commands.h"
#include "agent/relay/follower.h"
#include "agent/relay/handover.h"
#include "agent/relay/longrequests.h"
#include "agent/relay/output.h"
#include "agent/relay/probe.h"
#include "agent/relay/queue.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// Without anything to follow or to wait for.
constexpr std::int64_t kIdleNs = 60'000'000'000;
/// While a command is under way its end is looked for so often: some programs close their output before they end.
constexpr std::int64_t kCommandLookNs = 10'000'000;
/// Handing over waits for an earlier one, asks the queue and submits; each has its own limit (handover.cpp).
constexpr std::chrono::milliseconds kHandOverLimit{240'000};
/// Between two tries to end a runner that does not heed a cancel; each may ask a scheduler.
constexpr std::int64_t kEndAgainNs = 60'000'000'000;
/// A probe asks a dozen programs, of which each has its limit (probe.cpp).
constexpr std::chrono::milliseconds kProbeLimit{120'000};
/// The same, and the time in a queue before it.
constexpr std::chrono::milliseconds kNodeProbeLimit{180'000};

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
        , m_queues(m_commands)
        , m_campaigns(options, m_queues)
        , m_longRequests(options)
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
            m_commands.poll(monotonicNs());
            TRY(m_longRequests.forward(m_output));
            TRY(followAll());
        }
        return {};
    }

    Result<void> operator()(const wire::Hello& theirs)
    {
        return wire::negotiate(hello(m_options.root), theirs).map([](auto) {});
    }
    Result<void> operator()(const wire::ProbeRequest& request)
    {
        return probe(request.requestId, probeCommand(m_options), kProbeLimit);
    }
    Result<void> operator()(const wire::NodeProbeRequest& request)
    {
        const jobs::Scheduler* scheduler =
            request.scheduler.empty() ? jobs::schedulers().front() : jobs::schedulerNamed(request.scheduler);
        if (!scheduler)
            return fail(ErrorCode::usage,
                        fmt::format("The scheduler “{}” is not known here.", plainText(request.scheduler)),
                        "Ringside on this machine may be older.");
        return probe(request.requestId, scheduler->onOneNodeCommand(request.options, probeCommand(m_options)),
                     kNodeProbeLimit, [scheduler](std::string_view line) { return scheduler->tellsOnlyTheCode(line); });
    }
    Result<void> operator()(const wire::SubmitRequest& request)
    {
        TRY(m_campaigns.keep(request));
        handOver(request.campaign, request.requestId, [id = request.requestId](const HandedOver& handed) {
            return wire::SubmitReply{id, handed.job, handed.alreadyThere};
        });
        return {};
    }
    Result<void> operator()(const wire::StatusRequest& request)
    {
        afterQueue(request.campaigns, [this, request] {
            answer(request.requestId, m_campaigns.status(request));
            for (const auto& [campaign, scheduler] : m_campaigns.queued(request.campaigns))
                endIfOverdue(campaign);
        });
        return {};
    }
    Result<void> operator()(const wire::ControlRequest& request)
    {
        TRY(m_campaigns.control(request));
        if (request.control.kind != Control::Kind::cancel)
            return m_output.add(wire::ControlReply{request.requestId});
        handOver(request.campaign, request.requestId,
                 [id = request.requestId](const HandedOver&) { return wire::ControlReply{id}; });
        return {};
    }
    Result<void> operator()(const wire::DeleteRequest& request) { return m_longRequests.start(request); }
    Result<void> operator()(const wire::InventoryRequest& request) { return m_longRequests.start(request); }
    Result<void> operator()(const wire::BuildRequest& request) { return m_longRequests.start(request); }
    Result<void> operator()(const wire::EngineRequest& request) { return m_longRequests.start(request); }
    Result<void> operator()(const wire::FollowRequest& request)
    {
        m_followers.erase(request.campaign); // its request is not answered any more, whatever comes of this one
        TRY_ASSIGN(Follower follower, Follower::start(m_options.root, request, [this](const CampaignId& campaign) {
                       return isAlive(campaign);
                   }));
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
    Result<void> probe(std::uint32_t requestId, std::vector<std::string> command, std::chrono::milliseconds limit,
                       runner::TextTest tellsOnlyTheCode = {})
    {
        const auto done = [this, requestId](auto said) {
            answer(requestId, std::move(said).and_then(probedFromJson).map([requestId](auto values) {
                return wire::ProbeReply{requestId, std::move(values)};
            }));
        };
        m_commands.start(std::move(command), {limit}, done, std::move(tellsOnlyTheCode));
        return {};
    }

    /// A reply that is too large for a frame becomes an error that says so.
    template <class Reply> void answer(std::uint32_t requestId, Result<Reply> reply)
    {
        const auto sent = reply ? m_output.add(*reply) : tl::unexpected(reply.error());
        if (!sent)
            (void)m_output.add(wire::ErrorReply{requestId, sent.error()});
    }

    /// Runs even if this relay ends meanwhile. `replyOf` makes the reply of what came of it.
    template <class ReplyOf> void handOver(const CampaignId& campaign, std::uint32_t requestId, ReplyOf replyOf)
    {
        m_queues.expectChange(monotonicNs());
        m_commands.start({m_options.agent.string(), "submit", m_campaigns.folder(campaign).string()},
                         {kHandOverLimit, true}, [this, requestId, replyOf](auto said) {
                             m_queues.forgetAnswers();
                             answer(requestId, std::move(said).and_then(handedOverFromJson).map(replyOf));
                         });
    }

    /// As above, without a reply.
    void handOver(const CampaignId& campaign)
    {
        m_commands.start({m_options.agent.string(), "submit", m_campaigns.folder(campaign).string()},
                         {kHandOverLimit, true}, [this](auto) { m_queues.forgetAnswers(); });
    }

    /// A runner that was stopped heeds no cancel, nor one that died where that cannot be proven, and its campaign would
    /// be followed for ever.
    void endIfOverdue(const CampaignId& campaign)
    {
        std::int64_t& againNs = m_endAgainNs[campaign];
        if (monotonicNs() < againNs || !isCancelOverdue(m_campaigns.folder(campaign)))
            return;
        againNs = monotonicNs() + kEndAgainNs;
        if (m_campaigns.isOpen(campaign))
            handOver(campaign);
    }

    /// Calls `then` once the schedulers' word on these campaigns is fresh; at once where none is needed.
    void afterQueue(const std::vector<CampaignId>& campaigns, std::function<void()> then)
    {
        const auto queued = m_campaigns.queued(campaigns);
        if (queued.empty())
            return then();
        Queues::Jobs jobs;
        for (const auto& [campaign, scheduler] : queued) {
            auto& ids = jobs[scheduler];
            if (auto job = notedJob(m_campaigns.folder(campaign)); scheduler->isJobId(job))
                ids.insert(std::move(job));
        }
        m_queues.ask(jobs, monotonicNs(), std::move(then));
    }

    bool isAlive(const CampaignId& campaign)
    {
        const std::string job = notedJob(m_campaigns.folder(campaign));
        const jobs::Scheduler* scheduler = job.empty() ? nullptr : m_campaigns.schedulerOf(campaign);
        if (scheduler && scheduler->isJobId(job)) // the queue's own pace decides whether it is asked now
            m_queues.ask({{scheduler, {job}}}, monotonicNs(), [] {});
        endIfOverdue(campaign);
        return m_campaigns.isAlive(campaign);
    }

    void wait()
    {
        std::int64_t dueNs = monotonicNs() + kIdleNs;
        if (m_commands.dueNs() != INT64_MAX)
            dueNs = std::min(m_commands.dueNs(), monotonicNs() + kCommandLookNs);
        for (const auto& [campaign, follower] : m_followers)
            dueNs = m_output.roomy() ? std::min(dueNs, follower.dueNs()) : dueNs;
        const std::int64_t waitMs = std::max<std::int64_t>(0, (dueNs - monotonicNs() + 999'999) / 1'000'000);
        std::vector<pollfd> set{{STDIN_FILENO, POLLIN, 0}, {m_output.empty() ? -1 : STDOUT_FILENO, POLLOUT, 0}};
        m_commands.addTo(set);
        if (m_output.roomy())
            m_longRequests.addTo(set);
        ::poll(set.data(), set.size(), static_cast<int>(waitMs));
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
            TRY(follower.poll(monotonicNs(), m_output));
        return {};
    }

    RelayOptions m_options;
    Commands m_commands;
    Queues m_queues;
    Campaigns m_campaigns;
    LongRequests m_longRequests;
    Output m_output;
    wire::FrameReader m_input;
    std::map<CampaignId, Follower> m_followers;
    std::map<CampaignId, std::int64_t> m_endAgainNs; ///< when an overdue one may be ended again
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
