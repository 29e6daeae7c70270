// SPDX-License-Identifier: MIT
#include "agent/relay/handover.h"

#include "agent/relay/startrunner.h"
#include "agent/runner/allocation.h"
#include "agent/runner/command.h"
#include "agent/runner/limits.h"
#include "agent/runner/planfile.h"
#include "agent/runner/signoflife.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/lockwithin.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <unistd.h>

namespace ringside::relay {

namespace {

using std::chrono::milliseconds;

/// A submission repeats what a busy controller refuses; it is not killed after its limit, only not waited for.
constexpr milliseconds kSubmitLimit{60'000};
/// A cancelled job that waited is gone at once; one that just begins to run ends its runner.
constexpr milliseconds kCancelLimit{15'000};
constexpr milliseconds kQueueLook{1'000};
/// A runner ends its attempt within 10 s of the control file, and a shared folder may hide that for a minute.
constexpr std::int64_t kPatienceNs = 90'000'000'000;
/// A killed process has freed its memory by then, unless something holds it in the kernel.
constexpr milliseconds kKillLimit{15'000};
constexpr milliseconds kKillLook{50};

/// Inherited by the submission: held until both have ended. Where there are no locks the queue is asked first all the
/// same, and of two runners one gets the lease.
Result<Descriptor> lockSubmission(const fs::path& campaign)
{
    const fs::path path = layout::submittingFile(campaign);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
    if (file.get() < 0)
        return tl::unexpected(systemError("cannot open", path, errno));
    const int refused = lockWithin(runner::Limits::fromEnvironment().claim, file, [] {});
    if (refused == EWOULDBLOCK)
        return fail(ErrorCode::busy, "An earlier submission of this campaign still waits for an answer.",
                    "Nothing is lost; it is asked for again.");
    if (refused != 0 && !meansNoLocks(refused))
        return tl::unexpected(systemError("cannot lock", path, refused));
    return file;
}

bool isLongAgo(std::int64_t wall, std::int64_t patienceNs = kPatienceNs)
{
    return wallNs() - wall > patienceNs;
}

/// On other hosts guards may remove pictures for minutes, for which their runner waits.
std::int64_t patienceWith(const fs::path& campaign)
{
    const auto plan = runner::readPlan(campaign);
    return plan && plan->hosts.empty() ? kPatienceNs : toNs(runner::kUnheededCancel);
}

/// A runner that was stopped heeds no cancel. Its guards end the ranks. One that has begun after the cancel, to record
/// the end, has the same time for that.
Result<void> endOverdue(const fs::path& campaign)
{
    TRY_ASSIGN(const auto owner, runner::latestOwner(campaign));
    const bool isInJob = owner && !owner->job.empty(); // which its scheduler ends
    const std::int64_t sinceNs =
        std::max(modifiedNs(layout::cancelFile(campaign)), modifiedNs(layout::jobFile(campaign)));
    if (!owner || isInJob || !isCancelOverdue(campaign) || !isLongAgo(sinceNs, patienceWith(campaign)))
        return {};
    const runner::ProcessIdentity& process = owner->process;
    const std::int64_t untilNs = monotonicNs() + toNs(kKillLimit);
    for (; runner::lifeOf(process) == runner::Life::alive; std::this_thread::sleep_for(kKillLook)) {
        if (monotonicNs() > untilNs)
            return fail(ErrorCode::timeout,
                        fmt::format("The runner (process {} on {}) was killed, since it did not heed the cancel, and "
                                    "is still there: a file system or a device that does not answer holds it.",
                                    process.pid, process.host),
                        "Cancel again once it is gone, or restart that machine.");
        ::kill(process.pid, SIGKILL);
    }
    return {};
}

Result<HandedOver> startHere(const fs::path& campaign, const fs::path& agent)
{
    TRY(endOverdue(campaign));
    TRY_ASSIGN(const RunnerState state, runnerState(campaign));
    TRY_ASSIGN(const auto owner, runner::latestOwner(campaign));
    TRY_ASSIGN(const runner::LeaseOwner self, runner::thisOwner());
    const runner::Life life = owner ? lifeOf(*owner, self) : runner::Life::dead;
    const bool isOver =
        life == runner::Life::dead || (life == runner::Life::unknown && runner::isCancelUnheeded(campaign));
    if (state.ended || !isOver)
        return HandedOver{state.job, true};
    TRY_ASSIGN(const RunnerState started, startRunner(campaign, agent));
    return HandedOver{started.job, state.everStarted};
}

/// A campaign on its way through a scheduler.
class ScheduledCampaign
{
public:
    ScheduledCampaign(const fs::path& campaign, const fs::path& agent, const jobs::Submitter& submitter)
        : m_campaign(campaign)
        , m_agent(agent)
        , m_scheduler(*submitter.scheduler)
        , m_byHand(submitter.byHand)
        , m_isCancelled(isThere(layout::cancelFile(campaign)))
    {
    }

    Result<HandedOver> handOver()
    {
        TRY_ASSIGN(const RunnerState state, runnerState(m_campaign));
        if (state.ended)
            return HandedOver{state.job, true};
        TRY_ASSIGN(const auto job, livingJob());
        if (job)
            note(job->id);
        if (m_isCancelled)
            return cancel(job);
        if (job || m_byHand)
            return HandedOver{job ? job->id : std::string(), true};
        return submit();
    }

private:
    /// nullopt if none waits or runs. Fails if the queue cannot be asked.
    Result<std::optional<jobs::JobReport>> livingJob() const
    {
        TRY_ASSIGN(const CampaignId id, CampaignId::parse(m_campaign.filename().string()));
        const auto command = m_scheduler.queueCommand(::geteuid());
        TRY_ASSIGN(const std::string text, runner::outputOf(command, runner::ask(command, {milliseconds(30'000)})));
        const auto reports = m_scheduler.parseQueue(text);
        const jobs::JobReport* job = jobs::jobOf(reports, id, notedJob(m_campaign));
        return job && !isOver(job->state) ? std::optional(*job) : std::nullopt;
    }

    Result<HandedOver> submit() const
    {
        const auto command = m_scheduler.submitCommand(layout::scriptFile(m_campaign));
        const auto overrides = [this](std::string_view variable) { return m_scheduler.overridesScript(variable); };
        TRY_ASSIGN(const runner::Answer answer, runner::ask(command, {kSubmitLimit, true, overrides}));
        if (answer.code != 0)
            return tl::unexpected(m_scheduler.refusal(answer.errors));
        TRY_ASSIGN(const std::string job, m_scheduler.parseSubmitted(answer.output));
        note(job);
        return HandedOver{job, false};
    }

    /// A runner ends by the control file. A job without a runner yet is withdrawn; one that does not obey the file for
    /// too long is ended.
    Result<HandedOver> cancel(std::optional<jobs::JobReport> job) const
    {
        const bool waits = job && jobs::waits(job->state);
        if (job && !waits && !isCancelOverdue(m_campaign))
            return HandedOver{job->id, true};
        if (job) {
            const auto command = m_scheduler.cancelCommand(job->id);
            TRY(runner::outputOf(command, runner::ask(command)));
            TRY(awaitEnd());
        }
        return startHere(m_campaign, m_agent); // a runner has to record the end
    }

    Result<void> awaitEnd() const
    {
        const std::int64_t untilNs = monotonicNs() + toNs(kCancelLimit);
        for (;;) {
            TRY_ASSIGN(const auto job, livingJob());
            if (!job)
                return {};
            if (monotonicNs() > untilNs)
                return fail(ErrorCode::timeout,
                            fmt::format("{} has not ended job {} yet.", m_scheduler.title(), job->id),
                            "Cancel again in a while.");
            std::this_thread::sleep_for(kQueueLook);
        }
    }

    /// The scheduler has the job whether that can be written down or not: the queue finds it by its tag, too, and the
    /// job writes its own id when it starts. On a full disk a submission must not be reported as failed.
    void note(const std::string& job) const
    {
        if (notedJob(m_campaign) != job)
            (void)writeFileAtomically(layout::jobFile(m_campaign), job + "\n");
    }

    fs::path m_campaign;
    fs::path m_agent;
    const jobs::Scheduler& m_scheduler;
    bool m_byHand;
    bool m_isCancelled;
};

} // namespace

bool isCancelOverdue(const fs::path& campaign)
{
    const std::int64_t cancelledNs = modifiedNs(layout::cancelFile(campaign));
    return cancelledNs > 0 && isLongAgo(cancelledNs);
}

std::string notedJob(const fs::path& campaign)
{
    const auto text = readRegularFile(layout::jobFile(campaign), 4096);
    return text ? text->substr(0, text->find('\n')) : std::string{};
}

Result<HandedOver> handOver(const fs::path& campaign, const fs::path& agent)
{
    TRY_ASSIGN(const Descriptor lock, lockSubmission(campaign));
    TRY_ASSIGN(const jobs::Submitter submitter, runner::submitterOf(campaign));
    if (submitter.scheduler)
        return ScheduledCampaign(campaign, agent, submitter).handOver();
    return startHere(campaign, agent);
}

std::string toJson(const Result<HandedOver>& result)
{
    if (result)
        return nlohmann::json{{"job", result->job}, {"already_there", result->alreadyThere}}.dump();
    const Error& error = result.error();
    return nlohmann::json{{"code", static_cast<int>(error.code)}, {"message", error.message}, {"hint", error.hint}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<HandedOver> handedOverFromJson(std::string_view text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    try {
        if (json.contains("job"))
            return HandedOver{json.at("job"), json.at("already_there")};
        return tl::unexpected(
            Error{static_cast<ErrorCode>(json.at("code").get<int>()), json.at("message"), json.at("hint")});
    } catch (const nlohmann::json::exception& problem) {
        return fail(ErrorCode::internal,
                    fmt::format("ringside-agent submit gave an unexpected answer: {}.", problem.what()));
    }
}

} // namespace ringside::relay
