// SPDX-License-Identifier: MIT
#include "agent/relay/startrunner.h"

#include "agent/runner/history.h"
#include "agent/runner/limits.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// Between two looks, at first and at most: each reads the journal.
constexpr std::chrono::milliseconds kFirstLook{5}, kLastLook{200};
constexpr std::size_t kMaxSaid = 600;

/// A named pipe in its place would stop the relay until something reads it.
Result<Descriptor> openLog(const fs::path& path)
{
    Descriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
    if (log.get() < 0 && errno != ENXIO) // of a pipe that nothing reads
        return tl::unexpected(systemError("cannot write", path, errno));
    struct stat info;
    if (::fstat(log.get(), &info) == 0 && S_ISREG(info.st_mode))
        return log;
    return fail(ErrorCode::damaged, fmt::format("{} is no regular file.", path.string()),
                "Something else has put it there. Move it away.");
}

/// Standard streams are the pipe to the app: none may stay open in the runner.
Result<pid_t> launch(const fs::path& campaign, const fs::path& agent)
{
    TRY_ASSIGN(const Descriptor log, openLog(layout::runnerLog(campaign)));
    return startChild({.arguments = {agent.string(), "run", campaign.string()},
                       .output = log.get(),
                       .errors = log.get(),
                       .group = ChildStart::Group::session});
}

Error didNotStart(const fs::path& campaign)
{
    const auto log = readRegularFile(layout::runnerLog(campaign), 64u << 20);
    const std::string said = log ? log->substr(log->size() > kMaxSaid ? log->size() - kMaxSaid : 0) : std::string{};
    return {ErrorCode::unavailable,
            fmt::format("The runner of {} did not start: {}", campaign.string(), plainText(said)),
            "Its runner.log may say more."};
}

/// Leaves it to be waited for.
bool hasEnded(pid_t child)
{
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

bool isClaimed(const RunnerState& state, const RunnerState& before)
{
    return state.life == runner::Life::alive || state.job != before.job;
}

/// Looks until the campaign is claimed, the runner has ended or its time is over; what was seen last.
Result<RunnerState> awaitClaim(pid_t child, const fs::path& campaign, const RunnerState& before)
{
    const std::chrono::nanoseconds limit = runner::Limits::fromEnvironment().claim;
    const std::int64_t untilNs = monotonicNs() + limit.count();
    for (auto pause = kFirstLook;; pause = std::min(pause * 2, kLastLook)) {
        const bool isLast = hasEnded(child) || monotonicNs() >= untilNs;
        auto state = runnerState(campaign);
        if (isLast || !state || isClaimed(*state, before))
            return state;
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

Result<RunnerState> runnerState(const fs::path& campaign)
{
    RunnerState state;
    TRY_ASSIGN(const auto owner, runner::latestOwner(campaign));
    TRY_ASSIGN(const runner::History history, runner::readHistory(campaign));
    state.ended = history.ended;
    state.note = history.note;
    state.open = history.open;
    if (owner) {
        state.everStarted = true;
        state.job = owner->jobId();
        state.scheduler = owner->job.empty() ? nullptr : &runner::schedulerOf(*owner);
        state.life = state.scheduler ? runner::Life::unknown : runner::lifeOf(owner->process);
    }
    return state;
}

/// A runner that has not claimed the campaign in time is killed before the error is returned: it would train although
/// its samples are no longer awaited. It may have claimed the campaign at the last moment.
Result<RunnerState> startRunner(const fs::path& campaign, const fs::path& agent)
{
    TRY_ASSIGN(const RunnerState before, runnerState(campaign));
    TRY_ASSIGN(const pid_t child, launch(campaign, agent));
    if (const auto state = awaitClaim(child, campaign, before); state && isClaimed(*state, before))
        return state;
    ::kill(-child, SIGKILL);
    awaitChild(child);
    TRY_ASSIGN(const RunnerState state, runnerState(campaign));
    if (isClaimed(state, before))
        return state;
    return tl::unexpected(didNotStart(campaign));
}

} // namespace ringside::relay
