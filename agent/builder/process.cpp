// SPDX-License-Identifier: MIT
#include "agent/builder/process.h"

#include "core/base/child.h"
#include "core/base/descriptor.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace ringside::builder {

namespace {

constexpr std::size_t kKeptBytes = 256u << 10;
constexpr std::int64_t kLookMs = 500;

/// Cuts bytes into lines; the last one need not end.
class Lines
{
public:
    explicit Lines(const OnLine& onLine)
        : m_onLine(onLine)
    {
    }
    void add(std::string_view bytes)
    {
        m_rest += bytes;
        for (std::size_t end; (end = m_rest.find('\n')) != std::string::npos; m_rest.erase(0, end + 1))
            tell(std::string_view(m_rest).substr(0, end));
    }
    void end()
    {
        if (!m_rest.empty())
            tell(m_rest);
    }

private:
    void tell(std::string_view line)
    {
        if (m_onLine)
            m_onLine(line);
    }
    const OnLine& m_onLine;
    std::string m_rest;
};

/// It leads a group of its own, so that all of it can be killed.
Result<pid_t> start(const Command& command, int output)
{
    return startChild({.arguments = command.arguments,
                       .folder = command.folder,
                       .output = output,
                       .errors = command.withErrors ? output : -1,
                       .deathSignal = SIGTERM});
}

/// Fails at the deadline, and with what the command's own look says.
Result<void> collect(int fd, const Command& command, const Deadline& deadline, Lines& lines, std::string& kept)
{
    for (;;) {
        const std::int64_t leftMs = deadline.leftNs() / 1'000'000;
        pollfd set{fd, POLLIN, 0};
        if (leftMs <= 0)
            return fail(ErrorCode::timeout, fmt::format("{} did not end in time.", command.arguments.front()),
                        "The machine may be busy; try again, or allow more time.");
        if (command.look)
            TRY(command.look());
        if (::poll(&set, 1, static_cast<int>(std::min<std::int64_t>(leftMs, command.look ? kLookMs : 60'000))) == 0)
            continue;
        char buffer[1 << 14];
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n <= 0)
            return {};
        const std::string_view bytes(buffer, static_cast<std::size_t>(n));
        lines.add(bytes);
        kept += bytes;
        if (kept.size() > 2 * kKeptBytes)
            kept.erase(0, kept.size() - kKeptBytes);
    }
}

} // namespace

std::string Ended::lastLines(std::size_t count) const
{
    std::size_t begin = output.size();
    if (begin > 0 && output.back() == '\n')
        --begin;
    const std::size_t end = begin;
    for (; count > 0 && begin != std::string::npos && begin > 0; --count)
        begin = output.rfind('\n', begin - 1);
    begin = begin == std::string::npos ? 0 : begin + (begin > 0);
    return plainText(std::string_view(output).substr(begin, end - std::min(begin, end)));
}

Result<Ended> run(const Command& command, const Deadline& deadline, const OnLine& onLine)
{
    Pipe pipe;
    if (pipe.input.get() < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot make a pipe: {}.", std::strerror(errno)),
                    "Close other programs of yours there.");
    const auto child = start(command, pipe.input.get());
    pipe.input.close();
    Ended ended;
    Lines lines(onLine);
    if (!child)
        return tl::unexpected(child.error());
    const auto collected = collect(pipe.output.get(), command, deadline, lines, ended.output);
    pipe.output.close();
    if (!collected)
        ::kill(-*child, SIGKILL);
    lines.end();
    ended.exitCode = awaitChild(*child);
    return collected.map([&] { return std::move(ended); });
}

std::string firstLineOf(const std::vector<std::string>& command, const Deadline& deadline)
{
    const auto ended = run({command, {}, false}, deadline);
    return ended && ended->good() ? plainText(ended->output.substr(0, ended->output.find('\n'))) : "";
}

} // namespace ringside::builder
