// SPDX-License-Identifier: MIT
#include "agent/runner/command.h"

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// A queue of ten thousand jobs has some 2 MB.
constexpr std::size_t kKeptBytes = 16u << 20;
/// More than a pipe holds: one that never stops talking ends at its limit all the same.
constexpr std::size_t kMostAtOnce = 1u << 20;
/// A program that closed its streams may still take a while to end.
constexpr int kPollMs = 20;
constexpr std::size_t kMaxSaid = 300;
constexpr std::size_t kMaxRead = 8192; ///< of many tasks each reports how it ended

/// This process's variables, without those that are withheld.
std::vector<std::string> variables(const TextTest& withhold)
{
    std::vector<std::string> list;
    for (char** entry = environ; *entry; ++entry)
        if (!withhold || !withhold(variableName(*entry)))
            list.emplace_back(*entry);
    return list;
}

std::string_view tail(std::string_view text, std::size_t size)
{
    return text.substr(text.size() > size ? text.size() - size : 0);
}

/// The last line that says why.
std::string lastLine(std::string_view text, const TextTest& tellsOnlyTheCode)
{
    const std::string said = plainText(tail(text, kMaxRead));
    std::string last;
    for (std::string_view rest = said; !rest.empty();) {
        const std::size_t end = rest.find_last_not_of('\n') + 1;
        const std::size_t begin = rest.substr(0, end).find_last_of('\n') + 1; // npos + 1 is 0
        const std::string_view line = rest.substr(begin, end - begin);
        if (last.empty() || (tellsOnlyTheCode && tellsOnlyTheCode(last)))
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
    for (std::size_t sum = 0; file.get() >= 0 && sum < kMostAtOnce; sum += static_cast<std::size_t>(n)) {
        n = ::read(file.get(), buffer, sizeof buffer);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            file.close();
        if (n <= 0)
            return;
        add({buffer, static_cast<std::size_t>(n)});
    }
}

void Command::Stream::add(std::string_view bytes)
{
    text += bytes;
    for (std::size_t end; onLine && (end = text.find('\n', emitted)) != std::string::npos; emitted = end + 1)
        onLine(std::string_view(text).substr(emitted, end - emitted));
    if (text.size() <= 2 * kKeptBytes)
        return;
    const std::size_t gone = text.size() - kKeptBytes;
    text.erase(0, gone);
    emitted -= std::min(emitted, gone);
}

void Command::Stream::emitRest()
{
    if (onLine && emitted < text.size())
        onLine(std::string_view(text).substr(emitted));
    emitted = text.size();
}

Result<Command> Command::start(const std::vector<std::string>& command, const CommandOptions& options)
{
    Pipe output;
    Pipe errors;
    if (output.input.get() < 0 || errors.input.get() < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot make a pipe: {}.", std::strerror(errno)));
    for (const int fd : {output.output.get(), errors.output.get()})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    Command started;
    started.m_output.file = std::move(output.output);
    started.m_errors.file = std::move(errors.output);
    started.m_output.onLine = options.onLine;
    TRY_ASSIGN(started.m_pid, startChild({.arguments = command,
                                          .environment = variables(options.withhold),
                                          .folder = options.folder,
                                          .output = output.input.get(),
                                          .errors = (options.withErrors ? output : errors).input.get(),
                                          .group = ChildStart::Group::session,
                                          .deathSignal = options.outlivesUs ? 0 : SIGTERM,
                                          .inheritsDescriptors = options.outlivesUs}));
    started.m_program = command.front();
    started.m_limit = options.limit;
    started.m_outlivesUs = options.outlivesUs;
    started.m_dueNs = monotonicNs() + toNs(options.limit);
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
    m_output.file.close();
    m_errors.file.close();
    if (m_pid <= 0 || m_outlivesUs)
        return;
    ::kill(-m_pid, SIGKILL);
    awaitChild(std::exchange(m_pid, -1));
}

bool Command::poll(std::int64_t nowNs)
{
    m_output.read();
    m_errors.read();
    int status = 0;
    if (m_pid > 0 && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
        m_pid = -1;
        m_code = exitCodeOf(status);
        m_output.read(); // what it printed between the read above and its end
        m_errors.read();
        return true;
    }
    m_late = m_pid > 0 && nowNs >= m_dueNs;
    return m_late || m_pid < 0;
}

void Command::addTo(std::vector<pollfd>& set) const
{
    for (const int fd : {m_output.file.get(), m_errors.file.get()})
        if (fd >= 0)
            set.push_back({fd, POLLIN, 0});
}

Result<Answer> Command::take()
{
    m_output.emitRest();
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
        if (options.look)
            TRY(options.look());
        std::vector<pollfd> set;
        started.addTo(set);
        ::poll(set.data(), set.size(), kPollMs);
    }
    return started.take();
}

Result<std::string> outputOf(const std::vector<std::string>& command, Result<Answer> answer,
                             const TextTest& tellsOnlyTheCode)
{
    if (!answer)
        return tl::unexpected(answer.error());
    if (answer->code == 0)
        return std::move(answer->output);
    const std::string said = lastLine(answer->errors, tellsOnlyTheCode);
    return fail(ErrorCode::unavailable, said.empty()
                                            ? fmt::format("{} failed (code {}).", command.front(), answer->code)
                                            : fmt::format("{} failed: {}", command.front(), said));
}

} // namespace ringside::runner
