// SPDX-License-Identifier: MIT
// A site that wants a password, and a person at a terminal who types it.
#include "tests/cli/clifixture.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"
#include "tests/support/runningtime.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

/// A program at a terminal of its own. Killed with this object if it still runs.
class TypedAt
{
public:
    TypedAt(Arguments command, const std::map<std::string, std::string>& environment)
    {
        std::vector<std::string> variables = entries(environment);
        const auto words = pointers(command), values = pointers(variables);
        m_pid = ::forkpty(&m_terminal, nullptr, nullptr, nullptr);
        if (m_pid == 0) {
            ::execve(words.front(), words.data(), values.data());
            ::_exit(127);
        }
        REQUIRE(m_pid > 0);
    }
    ~TypedAt()
    {
        if (m_pid > 0 && ::kill(m_pid, SIGKILL) == 0)
            ::waitpid(m_pid, nullptr, 0);
        ::close(m_terminal);
    }
    TypedAt(const TypedAt&) = delete;
    TypedAt& operator=(const TypedAt&) = delete;

    void type(const std::string& line) const { REQUIRE(::write(m_terminal, line.data(), line.size()) > 0); }

    /// Reads until `text` was shown so many times, or the program ended.
    bool shows(const std::string& text, std::size_t times)
    {
        const RunningTime time;
        while (occurrences(m_shown, text) < times && time.elapsed() < kLimit && read())
            continue;
        return occurrences(m_shown, text) >= times;
    }
    /// The exit status; -1 if it does not end.
    int end()
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
    const std::string& shown() const { return m_shown; }

private:
    static constexpr auto kLimit = 90s;

    /// False once the program has closed the terminal.
    bool read()
    {
        pollfd look{m_terminal, POLLIN, 0};
        if (::poll(&look, 1, 100) == 0)
            return true;
        char piece[4096];
        const ssize_t n = ::read(m_terminal, piece, sizeof piece);
        m_shown.append(piece, n > 0 ? static_cast<std::size_t>(n) : 0);
        return n > 0;
    }

    pid_t m_pid = -1;
    int m_terminal = -1;
    std::string m_shown;
};

} // namespace

TEST_CASE("a password is asked for again as soon as the line was cut")
{
    CliFixture cli;
    SshdOptions options;
    options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=correct=horse";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    sshd.clientConfig();
    cli.environment["XDG_CONFIG_HOME"] = (cli.folder / "config").string();
    fs::create_directories(cli.folder / "config/ringside/sites");
    cli.write("config/ringside/sites/alder.toml",
              fmt::format("format = 1\nname = \"alder\"\nhost = \"alder\"\nssh_config = \"{}\"\nroot = \"{}\"\n"
                          "scheduler = \"none\"\nworker = \"{}\"\n",
                          sshd.file("client/.ssh/config").string(), (cli.folder / "there").string(),
                          testProgram("testworker")));
    TypedAt program({cli.program, "run", cli.experiment("far", "ranks = [1]", 1, 3'000), "--site", "alder"},
                    cli.environment);
    INFO("shown: ", program.shown());
    REQUIRE(program.shows("Password:", 1));
    program.type("correct=horse\n");
    for (int tries = 0; tries < 600 && cli.count("far", "running") == 0; ++tries)
        std::this_thread::sleep_for(50ms);
    REQUIRE(cli.count("far", "running") == 1);
    sshd.signalSessions(SIGKILL);
    REQUIRE(program.shows("Password:", 2));
    program.type("correct=horse\n");
    CHECK(program.shows("Contact is back.", 1));
    CHECK(program.end() == 0);
    CHECK(cli.count("far", "done") == 1);
}
