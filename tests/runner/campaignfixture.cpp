// SPDX-License-Identifier: MIT
#include "tests/runner/campaignfixture.h"

#include "tests/support/built.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::test {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kPatience{60'000};

} // namespace

fs::path agentPath()
{
    return builtProgram("ringside-agent");
}
fs::path testworkerPath()
{
    return testProgram("testworker");
}

RunSpec makeRun(int ranks, int iterations, Settings settings)
{
    RunSpec run;
    run.id = RunId::random();
    run.configurationKey = fmt::format("ranks={}", ranks);
    run.settings = std::move(settings);
    run.settings["ranks"] = std::int64_t{ranks};
    run.settings["model"] = std::string("none");
    run.iterations = iterations;
    return run;
}

std::vector<Record> readSpool(const fs::path& spool)
{
    std::vector<Record> records;
    const auto bytes = readFile(spool);
    SpoolReader reader;
    if (bytes)
        REQUIRE(reader.feed(*bytes, [&](const Record& record) { records.push_back(record); }));
    return records;
}

std::size_t samplesIn(const fs::path& spool)
{
    return std::size_t(std::ranges::count_if(
        readSpool(spool), [](const Record& record) { return std::holds_alternative<Sample>(record); }));
}

Process::Process(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                 const fs::path& log)
{
    m_pid = ::fork();
    if (m_pid != 0)
        return;
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    for (const auto& variable : environment)
        ::putenv(const_cast<char*>(variable.c_str()));
    std::vector<char*> arguments;
    for (const auto& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
}

Process::~Process()
{
    if (m_pid <= 0)
        return;
    signal(SIGKILL);
    wait(milliseconds(5'000));
}

void Process::signal(int number) const
{
    if (m_pid > 0)
        ::kill(m_pid, number);
}

int Process::wait(milliseconds limit)
{
    int status = 0;
    if (m_pid <= 0 || !eventually(limit, [&] { return ::waitpid(m_pid, &status, WNOHANG) != 0; }))
        return -1;
    m_pid = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Campaign::Campaign(std::vector<RunSpec> runs, std::optional<int> timeLimitSeconds, const std::string& launcher,
                   const fs::path& worker, const fs::path& root, std::map<std::string, Engine> engines)
    : m_root(root.empty() ? m_folder.path() : root)
{
    m_plan.launcher = launcher;
    m_plan.campaign = CampaignId::random();
    m_plan.store = StoreId::random();
    m_plan.experiment = "test";
    m_plan.site = "local";
    m_plan.worker = worker.string();
    m_plan.dataFolder = layout::dataFolder(m_root).string();
    m_plan.timeLimitSeconds = timeLimitSeconds;
    m_plan.runs = std::move(runs);
    for (std::size_t i = 0; i < m_plan.runs.size(); ++i)
        m_plan.runs[i].number = static_cast<int>(i) + 1;
    for (RunSpec& run : m_plan.runs)
        run.roles = run.roles.empty() ? rolesOf(run.plan) : run.roles;
    m_plan.engines = std::move(engines);
    REQUIRE(makePrivateFolder(layout::controlFolder(folder())));
    REQUIRE(writeFileAtomically(layout::planFile(folder()), planToJson(m_plan)));
}

void Campaign::setHungAfter(int seconds)
{
    m_plan.hungAfterSeconds = seconds;
    REQUIRE(writeFileAtomically(layout::planFile(folder()), planToJson(m_plan)));
}

Process Campaign::startRunner(double timeScale) const
{
    return {{agentPath().string(), "run", folder().string()},
            {fmt::format("RINGSIDE_TEST_TIME_SCALE={}", timeScale)},
            layout::runnerLog(folder())};
}

std::vector<JournalEvent> Campaign::journal() const
{
    std::vector<JournalEvent> events;
    JournalReader reader;
    if (const auto bytes = readFile(layout::journalFile(folder())))
        REQUIRE(reader.feed(*bytes, [&](const JournalEvent& event) { events.push_back(event); }));
    return events;
}

std::string storyOf(const CampaignPlan& plan, const std::vector<JournalEvent>& journal)
{
    std::string text;
    for (const auto& event : journal) {
        text += nameOf(event.kind);
        for (std::size_t i = 0; i < plan.runs.size(); ++i)
            if (event.run && *event.run == plan.runs[i].id)
                text += fmt::format(" {}/{}", i, event.attempt);
        if (event.kind == JournalKind::attemptEnded)
            text += fmt::format(" {} {}", nameOf(event.state), nameOf(event.cause));
        if (event.kind == JournalKind::runnerEnded)
            text += fmt::format(" {}", nameOf(event.state));
        if (event.rank)
            text += fmt::format(" rank={}", *event.rank);
        text += "\n";
    }
    return text;
}

std::vector<JournalEvent> Campaign::endsOf(std::size_t index) const
{
    std::vector<JournalEvent> ends;
    for (const auto& event : journal())
        if (event.kind == JournalKind::attemptEnded && event.run == run(index).id)
            ends.push_back(event);
    return ends;
}

void Campaign::control(const fs::path& file) const
{
    REQUIRE(writeFileAtomically(file, ""));
}

bool Campaign::trains(std::size_t index, int number) const
{
    return eventually(milliseconds(20'000), [&] {
        for (int rank = 0; rank < run(index).ranks(); ++rank)
            if (samplesIn(layout::spoolFile(attempt(index, number), rank)) == 0)
                return false;
        return true;
    });
}

namespace {

/// The rank as set by its guard or by mpirun; a single one gets no variables.
int rankIn(const std::string& variables)
{
    for (const std::string key : {"RINGSIDE_RANK=", "OMPI_COMM_WORLD_RANK=", "PMI_RANK="})
        if (const auto at = variables.find(key); at != std::string::npos)
            return std::atoi(variables.c_str() + at + key.size());
    return 0;
}

} // namespace

std::vector<pid_t> Campaign::ranksThatRun(std::size_t index) const
{
    std::vector<pid_t> pids(static_cast<std::size_t>(run(index).processes()), -1);
    // A system's interpreter may start another one; its script is in both command lines and in no guard's.
    const std::string program = m_plan.engines.empty() ? m_plan.worker : m_plan.engines.begin()->second.command.at(1);
    for (const pid_t pid : processesWith(run(index).id.str())) {
        const auto words = readFile(fmt::format("/proc/{}/cmdline", pid));
        const auto variables = readFile(fmt::format("/proc/{}/environ", pid));
        if (words && variables &&
            (m_plan.engines.empty() ? words->starts_with(program) : words->find(program) != std::string::npos))
            pids.at(static_cast<std::size_t>(rankIn(*variables))) = pid;
    }
    return pids;
}

std::vector<pid_t> Campaign::ranks(std::size_t index) const
{
    const auto pids = ranksThatRun(index);
    for (const pid_t pid : pids)
        REQUIRE(pid > 0); // kill(-1, …) would end everything
    return pids;
}

void Campaign::checkThatRanksKnowTheirPlaces() const
{
    CHECK(story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
    for (int rank = 0; rank < run(0).ranks(); ++rank) {
        const auto log = readFile(layout::rankLog(attempt(0), rank));
        REQUIRE(log);
        CHECK(log->find(fmt::format("rank {} iteration 4", rank)) != std::string::npos);
    }
}

void Campaign::checkThatAKilledRankIsNamed(std::size_t index, int rank) const
{
    REQUIRE(trains(index));
    ::kill(ranks(index).at(static_cast<std::size_t>(rank)), SIGKILL);
    CHECK(eventually(kPatience, [&] { return !endsOf(index).empty(); }));
    CHECK(endsOf(index).at(0).cause == Cause::lostRank);
    CHECK(endsOf(index).at(0).rank == rank);
}

void Campaign::checkThatRanksEndWithout(const Process& runner, std::size_t index) const
{
    REQUIRE(trains(index));
    const auto pids = ranks(index);
    runner.signal(SIGKILL);
    CHECK(eventually(kPatience,
                     [&] { return std::ranges::all_of(pids, [](pid_t pid) { return ::kill(pid, 0) != 0; }); }));
}

} // namespace ringside::test
