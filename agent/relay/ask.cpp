// SPDX-License-Identifier: MIT
#include "agent/relay/ask.h"

#include "core/base/clock.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

constexpr std::size_t kMaxAnswerBytes = 64u << 10;

/// Starts the command in a process group of its own, its output in the pipe, nothing else open.
Result<pid_t> start(const std::vector<std::string>& command, int output)
{
    std::vector<char*> arguments;
    for (const auto& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int problem = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} cannot be started: {}.", command.front(), std::strerror(problem)));
    return pid;
}

/// False if the time is over first.
bool collect(int fd, std::int64_t untilNs, std::string& answer)
{
    for (;;) {
        const std::int64_t leftMs = (untilNs - monotonicNs()) / 1'000'000;
        pollfd set{fd, POLLIN, 0};
        if (leftMs <= 0 || ::poll(&set, 1, static_cast<int>(leftMs)) == 0)
            return false;
        char buffer[4096];
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n <= 0)
            return true;
        answer.append(buffer, std::min(static_cast<std::size_t>(n), kMaxAnswerBytes - answer.size()));
    }
}

} // namespace

Result<std::string> ask(const std::vector<std::string>& command, std::chrono::milliseconds limit)
{
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot make a pipe: {}.", std::strerror(errno)));
    const auto pid = start(command, pipe[1]);
    ::close(pipe[1]);
    std::string answer;
    const bool inTime = pid && collect(pipe[0], monotonicNs() + std::chrono::nanoseconds(limit).count(), answer);
    ::close(pipe[0]);
    if (!pid)
        return tl::unexpected(pid.error());
    if (!inTime)
        ::kill(-*pid, SIGKILL);
    int status = 0;
    while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!inTime)
        return fail(ErrorCode::timeout, fmt::format("{} did not answer within {} ms.", command.front(), limit.count()));
    if (status != 0)
        return fail(ErrorCode::unavailable, fmt::format("{} failed (status {}).", command.front(), status));
    return answer;
}

} // namespace ringside::relay
