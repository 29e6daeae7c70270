// SPDX-License-Identifier: MIT
#include "tests/cli/typedat.h"

#include "tests/support/runningtime.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 90s;

} // namespace

TypedAt::TypedAt(Arguments command, const std::map<std::string, std::string>& environment, unsigned short columns)
{
    std::vector<std::string> variables = entries(environment);
    const auto words = pointers(command), values = pointers(variables);
    winsize size{};
    size.ws_col = columns;
    m_pid = ::forkpty(&m_terminal, nullptr, nullptr, &size);
    if (m_pid == 0) {
        ::execve(words.front(), words.data(), values.data());
        ::_exit(127);
    }
    REQUIRE(m_pid > 0);
}

TypedAt::~TypedAt()
{
    if (m_pid > 0 && ::kill(m_pid, SIGKILL) == 0)
        ::waitpid(m_pid, nullptr, 0);
    ::close(m_terminal);
}

void TypedAt::type(const std::string& line) const
{
    REQUIRE(::write(m_terminal, line.data(), line.size()) > 0);
}

bool TypedAt::shows(const std::string& text, std::size_t times)
{
    const RunningTime time;
    while (occurrences(m_shown, text) < times && time.elapsed() < kLimit && read())
        continue;
    return occurrences(m_shown, text) >= times;
}

int TypedAt::end()
{
    const RunningTime time;
    while (time.elapsed() < kLimit && read())
        continue;
    int status = -1;
    for (pid_t ended = 0; ended == 0 && time.elapsed() < kLimit; std::this_thread::sleep_for(20ms))
        ended = ::waitpid(m_pid, &status, WNOHANG);
    m_pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool TypedAt::read()
{
    pollfd look{m_terminal, POLLIN, 0};
    if (::poll(&look, 1, 100) == 0)
        return true;
    char piece[4096];
    const ssize_t n = ::read(m_terminal, piece, sizeof piece);
    m_shown.append(piece, n > 0 ? static_cast<std::size_t>(n) : 0);
    return n > 0;
}

} // namespace ringside::test
