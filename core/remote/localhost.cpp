// SPDX-License-Identifier: MIT
#include "core/remote/localhost.h"

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside {

namespace {

using std::chrono::milliseconds;

/// Interval at which the end of a closing command is looked for.
constexpr milliseconds kCloseLook{5};

struct Stream
{
    Descriptor ours;
    Descriptor theirs;
};

/// `what` is translated.
Error systemFailure(const char* what)
{
    const std::string reason = std::strerror(errno); // before anything else can change it
    return {ErrorCode::unavailable, Words::tr("{}: {}.", Words::translated(what), reason),
            Words::tr("Close other programs and try again.")};
}

/// Both ends closed on exec: only what is named in the file actions reaches the command.
Result<Stream> makeStream(bool weWrite)
{
    int ends[2];
    // A socket for what we write, because a pipe would need SIGPIPE to be ignored in the whole process.
    const int made = weWrite ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : ::pipe2(ends, O_CLOEXEC);
    if (made != 0)
        return tl::unexpected(systemFailure(Words::noop("cannot make a pipe")));
    Stream stream{Descriptor(ends[weWrite ? 1 : 0]), Descriptor(ends[weWrite ? 0 : 1])};
    ::fcntl(stream.ours.get(), F_SETFL, ::fcntl(stream.ours.get(), F_GETFL) | O_NONBLOCK);
    return stream;
}

class LocalChannel : public Channel
{
public:
    LocalChannel(pid_t pid, Descriptor input, Descriptor output, Descriptor errors)
        : m_pid(pid)
        , m_input(std::move(input))
        , m_output(std::move(output))
        , m_errors(std::move(errors))
    {
    }
    ~LocalChannel() override { close(milliseconds(0)); }

    Result<std::string> read(std::size_t limit) override
    {
        drainErrors();
        std::string bytes(limit, '\0');
        const ssize_t n = m_atEnd ? 0 : ::read(m_output.get(), bytes.data(), bytes.size());
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return tl::unexpected(systemFailure(Words::noop("cannot read from the command")));
        m_atEnd = m_atEnd || n == 0;
        bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return bytes;
    }

    bool atEnd() const override { return m_atEnd; }

    Result<std::size_t> write(std::string_view bytes) override
    {
        const ssize_t n = ::send(m_input.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return std::size_t{0};
        if (n < 0)
            return fail(ErrorCode::io, Words::tr("The command reads no more: {}.", std::strerror(errno)));
        return static_cast<std::size_t>(n);
    }

    void endInput() override { m_input.close(); }

    std::vector<pollfd> pollSet(bool wantWrite) const override
    {
        std::vector<pollfd> set;
        if (!m_atEnd)
            set.push_back({m_output.get(), POLLIN, 0});
        if (m_errors.get() >= 0)
            set.push_back({m_errors.get(), POLLIN, 0});
        if (wantWrite && m_input.get() >= 0)
            set.push_back({m_input.get(), POLLOUT, 0});
        return set;
    }

    std::string errorText() override
    {
        drainErrors();
        return plainText(m_errorBytes);
    }

    int close(milliseconds grace) override
    {
        m_input.close();
        const std::int64_t untilNs = monotonicNs() + toNs(grace);
        while (!reaped() && monotonicNs() < untilNs) {
            (void)read(std::size_t{1} << 16); // so that it does not wait for us to read
            std::this_thread::sleep_for(kCloseLook);
        }
        if (!reaped()) {
            ::kill(-m_pid, SIGKILL); // with what it started and did not make a group of its own of
            while (!reaped())
                std::this_thread::sleep_for(kCloseLook);
        }
        return m_exitCode;
    }

private:
    bool reaped()
    {
        int status = 0;
        if (m_pid > 0 && ::waitpid(m_pid, &status, WNOHANG) != 0) {
            m_exitCode = exitCodeOf(status);
            m_pid = -1;
        }
        return m_pid < 0;
    }

    void drainErrors()
    {
        char buffer[4096];
        ssize_t n = -1;
        while (m_errors.get() >= 0 && (n = ::read(m_errors.get(), buffer, sizeof buffer)) > 0)
            m_errorBytes.append(buffer,
                                std::min(static_cast<std::size_t>(n), kMaxErrorTextBytes - m_errorBytes.size()));
        if (n == 0)
            m_errors.close();
    }

    pid_t m_pid;
    Descriptor m_input;
    Descriptor m_output;
    Descriptor m_errors;
    std::string m_errorBytes;
    bool m_atEnd = false;
    int m_exitCode = 0;
};

} // namespace

Result<std::unique_ptr<Channel>> LocalHost::start(const CommandLine& command)
{
    TRY_ASSIGN(Stream input, makeStream(true));
    TRY_ASSIGN(Stream output, makeStream(false));
    TRY_ASSIGN(Stream errors, makeStream(false));
    TRY_ASSIGN(const pid_t pid, startChild({.arguments = command.arguments,
                                            .folder = m_folder,
                                            .input = input.theirs.get(),
                                            .output = output.theirs.get(),
                                            .errors = errors.theirs.get()}));
    return std::make_unique<LocalChannel>(pid, std::move(input.ours), std::move(output.ours), std::move(errors.ours));
}

} // namespace ringside
