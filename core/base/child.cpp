// SPDX-License-Identifier: MIT
#include "core/base/child.h"

#include "core/base/closefiles.h"
#include "core/base/descriptor.h"
#include "core/base/words.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside {

namespace {

constexpr int kAboveStreams = 3;

std::vector<char*> pointersTo(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// No signal reaches this thread meanwhile: in the child, a handler would act for the parent.
class AllSignalsBlocked
{
public:
    AllSignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t m_before{};
};

/// -1 if it is not open, as our standard input may be: the next descriptor that is made would have its number.
int ifOpen(int fd)
{
    return ::fcntl(fd, F_GETFD) >= 0 ? fd : -1;
}

/// All that the child needs between fork and exec, where memory may not be allocated: another thread may have held the
/// allocator's lock.
struct Prepared
{
    const ChildStart& start;
    std::array<int, kAboveStreams> streams = {ifOpen(start.input), ifOpen(start.output), ifOpen(start.errors)};
    std::vector<char*> arguments = pointersTo(start.arguments);
    std::vector<char*> environment = start.environment ? pointersTo(*start.environment) : std::vector<char*>{};
    pid_t parent = ::getpid();
    int report = -1; ///< where the child writes its failure if it cannot become the program
};

/// The reason for which a child has not become the program.
struct Failure
{
    int reason = 0; ///< errno; 0: it has
    bool isOfFolder = false;
};

[[noreturn]] void giveUp(int report, bool isOfFolder = false)
{
    const Failure failure{errno, isOfFolder};
    (void)!::write(report, &failure, sizeof failure);
    ::_exit(127);
}

void setPlainSignals()
{
    struct sigaction plain = {}, current = {};
    plain.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) {
        const bool isIgnored = ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
        if (!isIgnored || signal == SIGPIPE || signal == SIGHUP || signal == SIGCHLD)
            ::sigaction(signal, &plain, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Out of the way of 0, 1, 2 and 3, where the others go.
int outOfTheWay(int fd, int flags)
{
    const int opened = fd >= 0 ? fd : ::open("/dev/null", flags | O_CLOEXEC);
    return ::fcntl(opened, F_DUPFD_CLOEXEC, 10);
}

/// Returns where errors are reported from now on, which nothing else is above.
int placeDescriptors(const Prepared& prepared)
{
    const ChildStart& start = prepared.start;
    int report = ::fcntl(prepared.report, F_DUPFD_CLOEXEC, 10);
    const int streams[] = {outOfTheWay(prepared.streams[0], O_RDONLY), outOfTheWay(prepared.streams[1], O_WRONLY),
                           outOfTheWay(prepared.streams[2], O_WRONLY)};
    for (int stream = 0; stream < kAboveStreams; ++stream)
        if (::dup2(streams[stream], stream) < 0)
            giveUp(report);
    if (!start.inheritsDescriptors) {
        report = ::dup3(report, kAboveStreams, O_CLOEXEC);
        closeFilesFrom(kAboveStreams + 1);
    }
    return report;
}

[[noreturn]] void become(const Prepared& prepared)
{
    const ChildStart& start = prepared.start;
    if (start.group == ChildStart::Group::own)
        ::setpgid(0, 0);
    else if (start.group == ChildStart::Group::session)
        ::setsid();
    if (start.deathSignal) {
        ::prctl(PR_SET_PDEATHSIG, start.deathSignal);
        if (::getppid() != prepared.parent)
            ::_exit(128 + start.deathSignal);
    }
    const int report = placeDescriptors(prepared);
    setPlainSignals();
    if (!start.folder.empty() && ::chdir(start.folder.c_str()) != 0)
        giveUp(report, true);
    if (start.environment)
        ::execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
    else
        ::execvp(prepared.arguments[0], prepared.arguments.data());
    giveUp(report);
}

Error cannotStart(const ChildStart& start, const Failure& failure)
{
    const int reason = failure.reason;
    if (failure.isOfFolder)
        return {ErrorCode::unavailable,
                Words::tr("{} cannot be started in {}: {}.", start.arguments.front(), start.folder.string(),
                          std::strerror(reason)),
                Words::tr("Check that the folder is there and that you may enter it.")};
    const bool lacksRoom = reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
    return {ErrorCode::unavailable,
            Words::tr("{} cannot be started: {}.", start.arguments.front(), std::strerror(reason)),
            lacksRoom ? Words::tr("Too many programs of yours may be running there. Close some.")
                      : Words::tr("Check that it is installed there.")};
}

/// Waits until the child has become the program, or says why it has not: then it has ended, and is reaped.
Failure failureOf(pid_t child, int report)
{
    Failure failure;
    ssize_t n = 0;
    while ((n = ::read(report, &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    if (n != sizeof failure)
        return {};
    ::waitpid(child, nullptr, 0);
    return failure;
}

} // namespace

Result<pid_t> startChild(const ChildStart& start)
{
    if (start.arguments.empty())
        return fail(ErrorCode::internal, Words::tr("A command without a program cannot be started."));
    Prepared prepared{start};
    Pipe report;
    if (report.input.get() < 0)
        return tl::unexpected(cannotStart(start, {errno}));
    prepared.report = report.input.get();
    Failure failure;
    pid_t child = -1;
    {
        const AllSignalsBlocked blocked;
        child = ::fork();
        if (child == 0)
            become(prepared);
        failure.reason = child < 0 ? errno : 0;
    }
    report.input.close();
    if (child > 0)
        failure = failureOf(child, report.output.get());
    if (failure.reason != 0)
        return tl::unexpected(cannotStart(start, failure));
    return child;
}

int awaitChild(pid_t child)
{
    int status = 0;
    pid_t ended = -1;
    while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    return ended == child ? exitCodeOf(status) : -1;
}

void heedEndsOfChildren()
{
    ::signal(SIGCHLD, SIG_DFL);
}

int exitCodeOf(int waitStatus)
{
    return WIFSIGNALED(waitStatus) ? 128 + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

} // namespace ringside
