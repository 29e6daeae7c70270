// SPDX-License-Identifier: MIT
#include "agent/relay/starter.h"

#include "agent/runner/history.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::relay {

namespace {

constexpr std::chrono::nanoseconds kStartLimit = std::chrono::seconds(10);
constexpr std::chrono::milliseconds kLook{5};
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

bool hasEnded(pid_t child)
{
    int status = 0;
    return ::waitpid(child, &status, WNOHANG) != 0;
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

Result<RunnerState> startRunner(const fs::path& campaign, const fs::path& agent)
{
    TRY_ASSIGN(const RunnerState before, runnerState(campaign));
    TRY_ASSIGN(const pid_t child, launch(campaign, agent));
    const std::int64_t untilNs = monotonicNs() + kStartLimit.count();
    for (bool ended = false; monotonicNs() < untilNs; std::this_thread::sleep_for(kLook)) {
        ended = ended || hasEnded(child);
        TRY_ASSIGN(const RunnerState state, runnerState(campaign));
        if (state.life == runner::Life::alive || state.job != before.job)
            return state;
        if (ended)
            break;
    }
    return tl::unexpected(didNotStart(campaign));
}

} // namespace ringside::relay
