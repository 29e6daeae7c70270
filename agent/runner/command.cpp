// SPDX-License-Identifier: MIT
#include "agent/runner/command.h"

#include "core/base/clock.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// A queue of ten thousand jobs has some 2 MB.
constexpr std::size_t kMaxAnswerBytes = 16u << 20;
/// A program that closed its streams may still take a while to end.
constexpr int kPollMs = 20;
constexpr std::size_t kMaxSaid = 300;
constexpr std::size_t kMaxRead = 8192; ///< of many tasks each says how it ended

struct Pipe
{
    int ends[2] = {-1, -1};
    Pipe() { [[maybe_unused]] const int made = ::pipe2(ends, O_CLOEXEC); }
    ~Pipe() { ::close(ends[1]); }
};

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
    std::vector<char*> list;
    for (const auto& text : texts)
        list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

std::vector<char*> variables(const std::function<bool(std::string_view)>& withhold)
{
    std::vector<char*> list;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        if (!withhold || !withhold(text.substr(0, text.find('='))))
            list.push_back(*entry);
    }
    list.push_back(nullptr);
    return list;
}

/// Its standard streams are /dev/null and the two pipes; signals are as a program expects them.
Result<pid_t> spawn(const std::vector<std::string>& command, const std::vector<char*>& environment, int output,
                    int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGHUP);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const auto arguments = pointers(command);
    const int problem = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} cannot be started: {}.", command.front(), std::strerror(problem)));
    return pid;
}

std::string_view tail(std::string_view text, std::size_t size)
{
    return text.substr(text.size() > size ? text.size() - size : 0);
}

/// "srun: error: n1: task 0: Exited with exit code 2" comes behind what the task itself met.
bool tellsOnlyTheCode(std::string_view line)
{
    return line.starts_with("srun: ") && line.find(": Exited with exit code ") != std::string_view::npos;
}

/// The last line that says why.
std::string lastLine(std::string_view text)
{
    const std::string said = plainText(tail(text, kMaxRead));
    std::string last;
    for (std::string_view rest = said; !rest.empty();) {
        const std::size_t end = rest.find_last_not_of('\n') + 1;
        const std::size_t begin = rest.substr(0, end).find_last_of('\n') + 1; // npos + 1 is 0
        const std::string_view line = rest.substr(begin, end - begin);
        if (last.empty() || tellsOnlyTheCode(last))
            last = line.empty() ? last : std::string(tail(line, kMaxSaid));
        rest = rest.substr(0, begin);
    }
    return last;
}

} // namespace

void Command::Stream::read()
{
    char buffer[1 << 14];
    ssize_t n = 0;
    while (fd >= 0 && (n = ::read(fd, buffer, sizeof buffer)) > 0)
        text.append(buffer, std::min(static_cast<std::size_t>(n), kMaxAnswerBytes - text.size()));
    if (fd >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR)))
        close();
}

void Command::Stream::close()
{
    if (fd >= 0)
        ::close(std::exchange(fd, -1));
}

Result<Command> Command::start(const std::vector<std::string>& command, const CommandOptions& options)
{
    Pipe output;
    Pipe errors;
    Command started;
    started.m_output.fd = output.ends[0];
    started.m_errors.fd = errors.ends[0];
    if (output.ends[0] < 0 || errors.ends[0] < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot make a pipe: {}.", std::strerror(errno)));
    for (const int fd : {output.ends[0], errors.ends[0]})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    TRY_ASSIGN(started.m_pid, spawn(command, variables(options.withhold), output.ends[1], errors.ends[1]));
    started.m_program = command.front();
    started.m_limit = options.limit;
    started.m_outlivesUs = options.outlivesUs;
    started.m_dueNs = monotonicNs() + std::chrono::nanoseconds(options.limit).count();
    return started;
}

Command::Command(Command&& other) noexcept
{
    *this = std::move(other);
}

Command& Command::operator=(Command&& other) noexcept
{
    std::swap(m_program, other.m_program);
    std::swap(m_pid, other.m_pid);
    std::swap(m_output, other.m_output);
    std::swap(m_errors, other.m_errors);
    std::swap(m_limit, other.m_limit);
    std::swap(m_dueNs, other.m_dueNs);
    std::swap(m_outlivesUs, other.m_outlivesUs);
    std::swap(m_late, other.m_late);
    std::swap(m_code, other.m_code);
    return *this;
}

Command::~Command()
{
    end();
}

void Command::end()
{
    m_output.close();
    m_errors.close();
    if (m_pid <= 0 || m_outlivesUs)
        return;
    ::kill(-m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    m_pid = -1;
}

bool Command::poll(std::int64_t nowNs)
{
    m_output.read();
    m_errors.read();
    int status = 0;
    if (m_pid > 0 && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
        m_pid = -1;
        m_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        m_output.read(); // what it said between the read above and its end
        m_errors.read();
        return true;
    }
    m_late = m_pid > 0 && nowNs >= m_dueNs;
    return m_late || m_pid < 0;
}

void Command::addTo(std::vector<pollfd>& set) const
{
    for (const int fd : {m_output.fd, m_errors.fd})
        if (fd >= 0)
            set.push_back({fd, POLLIN, 0});
}

Result<Answer> Command::take()
{
    if (m_late) {
        end();
        return fail(ErrorCode::timeout, fmt::format("{} did not answer within {} s.", m_program,
                                                    static_cast<double>(m_limit.count()) / 1000));
    }
    return Answer{m_code, std::move(m_output.text), std::move(m_errors.text)};
}

Result<Answer> ask(const std::vector<std::string>& command, const CommandOptions& options)
{
    TRY_ASSIGN(Command started, Command::start(command, options));
    while (!started.poll(monotonicNs())) {
        std::vector<pollfd> set;
        started.addTo(set);
        ::poll(set.data(), set.size(), kPollMs);
    }
    return started.take();
}

Result<std::string> outputOf(const std::vector<std::string>& command, Result<Answer> answer)
{
    if (!answer)
        return tl::unexpected(answer.error());
    if (answer->code == 0)
        return std::move(answer->output);
    const std::string said = lastLine(answer->errors);
    return fail(ErrorCode::unavailable, said.empty()
                                            ? fmt::format("{} failed (code {}).", command.front(), answer->code)
                                            : fmt::format("{} failed: {}", command.front(), said));
}

} // namespace ringside::runner
