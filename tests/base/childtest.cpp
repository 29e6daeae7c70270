// SPDX-License-Identifier: MIT
#include "core/base/child.h"

#include "core/base/environment.h"
#include "tests/support/processstat.h"
#include "tests/support/temporaryfolder.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;
using test::readProcessStat;

namespace {

struct Pipe
{
    int ends[2] = {-1, -1};
    Pipe() { REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        ::close(ends[0]);
        closeWriter();
    }
    void closeWriter()
    {
        if (ends[1] >= 0)
            ::close(std::exchange(ends[1], -1));
    }
    std::string readToEnd()
    {
        closeWriter();
        std::string text;
        char buffer[4096];
        for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
            text.append(buffer, static_cast<std::size_t>(n));
        return text;
    }
};

int endOf(pid_t child)
{
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return exitCodeOf(status);
}

struct Said
{
    std::string output;
    int code = -1;
};

/// Returns a shell's answer to a line of ours.
Said say(const std::string& script, ChildStart start = {})
{
    Pipe output;
    start.arguments = {"sh", "-c", script};
    start.output = start.errors = output.ends[1];
    const auto child = startChild(start);
    REQUIRE_MESSAGE(child, child.error().message);
    Said said;
    said.output = output.readToEnd();
    said.code = endOf(*child);
    return said;
}

} // namespace

TEST_CASE("a program gets its words, its streams, its folder and its variables, and nothing to read")
{
    const test::TemporaryFolder folder;
    const Said said =
        say("cat; pwd; echo \"$ONE $0\"; echo problem >&2; exit 7",
            {.environment = std::vector<std::string>{"ONE=1", "PATH=/usr/bin:/bin"}, .folder = folder.path()});
    CHECK(said.output == folder.path().string() + "\n1 sh\nproblem\n");
    CHECK(said.code == 7);
    CHECK(say("kill -9 $$").code == 128 + SIGKILL);
}

TEST_CASE("standard streams may be given in any order")
{
    const int output = ::dup(STDOUT_FILENO), errors = ::dup(STDERR_FILENO);
    Pipe one, other;
    ::dup2(one.ends[1], STDERR_FILENO); // what is ours by this number is to be its output, and the other way round
    ::dup2(other.ends[1], STDOUT_FILENO);
    const auto child = startChild(
        {.arguments = {"sh", "-c", "echo out; echo err >&2"}, .output = STDERR_FILENO, .errors = STDOUT_FILENO});
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::close(output);
    ::close(errors);
    REQUIRE(child);
    CHECK(endOf(*child) == 0);
    CHECK(one.readToEnd() == "out\n");
    CHECK(other.readToEnd() == "err\n");
}

TEST_CASE("where our standard input is closed, there is nothing to read")
{
    Pipe output;
    const int input = ::dup(STDIN_FILENO);
    ::close(STDIN_FILENO);
    const auto child = startChild(
        {.arguments = {"sh", "-c", "cat; readlink /proc/$$/fd/0"}, .input = STDIN_FILENO, .output = output.ends[1]});
    ::dup2(input, STDIN_FILENO);
    ::close(input);
    REQUIRE(child);
    CHECK(endOf(*child) == 0);
    CHECK(output.readToEnd() == "/dev/null\n");
}

TEST_CASE("what cannot be started is said at once, and leaves no child")
{
    for (const ChildStart& start :
         {ChildStart{.arguments = {"/nowhere/tool"}}, ChildStart{.arguments = {"no-such-tool"}},
          ChildStart{.arguments = {"/etc/passwd"}}}) {
        const auto child = startChild(start);
        REQUIRE_FALSE(child);
        CHECK(child.error().code == ErrorCode::unavailable);
        CHECK(child.error().message.starts_with(start.arguments.front() + " cannot be started: "));
        CHECK(child.error().hint == "Check that it is installed there.");
    }
    const auto elsewhere = startChild({.arguments = {"true"}, .folder = "/nowhere"});
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error().code == ErrorCode::unavailable);
    CHECK(elsewhere.error().text() == "true cannot be started in /nowhere: No such file or directory. Check that the "
                                      "folder is there and that you may enter it.");
    CHECK_FALSE(startChild({}));
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE("no descriptor of ours is open in it, unless all are")
{
    const int ours = ::open("/dev/null", O_RDONLY); // not close-on-exec, as a library may leave it
    const std::string line = "[ -e /proc/self/fd/" + std::to_string(ours) + " ] && echo open || echo closed";
    CHECK(say(line).output == "closed\n");
    CHECK(say(line, {.inheritsDescriptors = true}).output == "open\n");
    ::close(ours);
}

TEST_CASE("it neither ignores nor blocks signals as we do")
{
    const auto before = ::signal(SIGPIPE, SIG_IGN), ofChildren = ::signal(SIGCHLD, SIG_IGN);
    Pipe held, ignored; // it ends only once its end is no longer ignored, by which it would be gone
    const auto child = startChild({.arguments = {"sed", "-n", "s/SigIgn:\t//p", "-", "/proc/self/status"},
                                   .input = held.ends[0],
                                   .output = ignored.ends[1]});
    ::signal(SIGCHLD, ofChildren);
    held.closeWriter();
    REQUIRE(child);
    CHECK((std::stoull(ignored.readToEnd(), nullptr, 16) >> (SIGCHLD - 1)) % 2 == 0);
    CHECK(endOf(*child) == 0);
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    CHECK(say("kill -PIPE $$; echo ignored").code == 128 + SIGPIPE);
    CHECK(say("kill -TERM $$; echo blocked").code == 128 + SIGTERM);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    ::signal(SIGPIPE, before);
}

TEST_CASE("an end that the kernel does not report does not count as a good one, and is reported again on request")
{
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    const auto child = startChild({.arguments = {"sh", "-c", "exit 7"}});
    REQUIRE(child);
    CHECK(awaitChild(*child) == -1);
    heedEndsOfChildren();
    const auto heeded = startChild({.arguments = {"sh", "-c", "exit 7"}});
    REQUIRE(heeded);
    CHECK(awaitChild(*heeded) == 7);
    ::signal(SIGCHLD, before);
}

TEST_CASE("it is of our process group, or leads one or a session")
{
    const auto groupAndSession = [](ChildStart::Group group) {
        const auto child = startChild({.arguments = {"sleep", "100"}, .group = group});
        REQUIRE(child);
        const std::pair of{::getpgid(*child), ::getsid(*child)};
        ::kill(*child, SIGKILL);
        CHECK(endOf(*child) == 128 + SIGKILL);
        return std::pair{of.first == *child, of.second == *child};
    };
    CHECK(groupAndSession(ChildStart::Group::ours) == std::pair{false, false});
    CHECK(groupAndSession(ChildStart::Group::own) == std::pair{true, false});
    CHECK(groupAndSession(ChildStart::Group::session) == std::pair{true, true});
}

TEST_CASE("it gets its signal when who started it has ended")
{
    Pipe pids;
    const pid_t parent = ::fork();
    if (parent == 0) {
        const auto child = startChild({.arguments = {"sleep", "100"}, .deathSignal = SIGKILL});
        const pid_t pid = child ? *child : -1;
        (void)!::write(pids.ends[1], &pid, sizeof pid);
        ::_exit(0);
    }
    CHECK(endOf(parent) == 0);
    pid_t pid = -1;
    REQUIRE(::read(pids.ends[0], &pid, sizeof pid) == sizeof pid);
    REQUIRE(pid > 0);
    bool isGone = false;
    for (int i = 0; i < 500 && !isGone; ++i, std::this_thread::sleep_for(10ms)) {
        const auto stat = readProcessStat(pid);
        isGone = !stat || stat->state == 'Z';
    }
    CHECK(isGone);
}
