// SPDX-License-Identifier: MIT
// A rank on cores that others use, too.
#include "core/base/files.h"
#include "tests/support/runningtime.h"
#include "tests/worker/train/attempt.h"

#include <csignal>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// Computes until the end of this object, in a session of its own: what is in the rank's session, as this test is,
/// counts as the rank's.
class BusyProcess
{
public:
    BusyProcess()
        : m_pid(::fork())
    {
        if (m_pid != 0)
            return;
        ::setsid();
        volatile unsigned turns = 0;
        while (true)
            turns = turns + 1;
    }
    ~BusyProcess()
    {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    BusyProcess(const BusyProcess&) = delete;
    BusyProcess& operator=(const BusyProcess&) = delete;

private:
    pid_t m_pid;
};

bool hasThread(pid_t process, const std::string& name)
{
    std::error_code ended;
    for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task", ended))
        if (readFile(task.path() / "comm").value_or("") == name + "\n")
            return true;
    return false;
}

} // namespace

TEST_CASE("a rank that sees others on its cores lets its threads wait asleep")
{
    test::Attempt attempt;
    attempt.run.iterations = 10'000'000;
    attempt.run.settings["cores_per_rank"] = std::int64_t{2};
    const BusyProcess one, two;
    const RankGroup group = attempt.start();
    const test::RunningTime waited;
    while (waited.elapsed() < 60s && !hasThread(group.pid(), "wait policy"))
        std::this_thread::sleep_for(50ms);
    CHECK(hasThread(group.pid(), "wait policy"));
}
