// SPDX-License-Identifier: MIT
#include "agent/relay/output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// Enough to fill a pipe or an SSH window; memory stays small if the app stalls.
constexpr std::size_t kRoomyBelow = 1u << 20;

} // namespace

Output::Output(int fd)
    : m_fd(fd)
{
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Result<void> Output::add(const wire::Message& message)
{
    TRY_ASSIGN(const std::string frame, m_frames.write(message));
    m_pending.erase(0, std::exchange(m_sent, 0));
    m_pending += frame;
    return {};
}

Result<void> Output::flush()
{
    while (!empty()) {
        const ssize_t n = ::write(m_fd, m_pending.data() + m_sent, m_pending.size() - m_sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return {};
        if (n < 0)
            return fail(ErrorCode::io, fmt::format("cannot write to standard output: {}.", std::strerror(errno)));
        m_sent += static_cast<std::size_t>(n);
    }
    m_pending.clear();
    m_sent = 0;
    return {};
}

bool Output::roomy() const
{
    return m_pending.size() - m_sent < kRoomyBelow;
}

} // namespace ringside::relay
