// SPDX-License-Identifier: MIT
// Seeded kills of every program of the chain. Afterwards the database holds exactly what the spools hold, no run that
// was done was repeated, and everything is done.
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"

#include "core/spec/toml.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

using namespace std::chrono_literals;

/// How the program with the conductor in it ends once every run has an end.
enum class Ending
{
    collects,
    leaves,     ///< at once
    commandLine ///< is ringside-cli, which leaves at once, too
};

const fs::path kCommandLine = fs::path(RINGSIDE_BIN) / "ringside-cli";

/// Does what is missing, then ends.
class Program
{
public:
    Program(const ConductorFixture& fixture, Ending ending)
    {
        m_pid = ::fork();
        if (m_pid == 0 && ending == Ending::commandLine)
            becomeCommandLine(fixture);
        if (m_pid == 0)
            ::_exit(carryOut(fixture.options(), ending) ? 0 : 1);
    }
    ~Program() { kill(); }

    bool runs()
    {
        if (m_pid > 0 && ::waitpid(m_pid, &m_status, WNOHANG) == m_pid)
            m_pid = 0;
        return m_pid > 0;
    }
    bool endedWell()
    {
        constexpr int kSomeFailed = 3; // the command line's word for it
        return !runs() && WIFEXITED(m_status) && (WEXITSTATUS(m_status) == 0 || WEXITSTATUS(m_status) == kSomeFailed);
    }
    void kill()
    {
        if (!runs())
            return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, &m_status, 0);
        m_pid = 0;
    }

private:
    [[noreturn]] static void becomeCommandLine(const ConductorFixture& fixture)
    {
        const fs::path file = fixture.folder / "kill.toml", log = fixture.folder / "cli.log";
        (void)writeFileAtomically(file, spec::writeExperiment(whole()));
        ::setenv("XDG_DATA_HOME", fixture.root.parent_path().c_str(), 1);
        ::setenv("RINGSIDE_WORKER", RINGSIDE_TESTWORKER, 1);
        const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(fd, STDOUT_FILENO);
        ::dup2(fd, STDERR_FILENO);
        ::execl(kCommandLine.c_str(), kCommandLine.c_str(), "run", "--store", fixture.options().store.c_str(),
                file.c_str(), nullptr);
        ::_exit(127);
    }

    static spec::Experiment whole() { return experiment("[1, 2]", 2, 15); }

    static bool carryOut(const ConductorOptions& options, Ending ending)
    {
        RecordingSink sink;
        const auto conductor = Conductor::open(options, sink);
        if (!conductor)
            return false;
        const auto done = [&](Ticket ticket) {
            return sink.waitUntil([&] { return sink.answers.contains(ticket); }) && sink.answers.at(ticket).has_value();
        };
        if (!done((*conductor)->saveExperiment(whole())) || !done((*conductor)->launch({"kill"})))
            return false;
        const auto over = [&] {
            const auto db = store::Database::openForReading(options.store);
            const auto rows = db ? store::runs(*db) : tl::unexpected(db.error());
            return rows && std::ranges::all_of(*rows, [](const auto& row) { return isFinal(row.state); });
        };
        while (!over())
            std::this_thread::sleep_for(50ms);
        return ending == Ending::leaves || done((*conductor)->collect());
    }

    pid_t m_pid = 0;
    int m_status = 0;
};

struct KillTest : ConductorFixture
{
    std::map<RunId, int> doneAt; ///< the attempt with which a run was done when it was first seen to be

    void requireNoneRepeated()
    {
        for (const store::RunRow& run : runs()) {
            const auto known = doneAt.find(run.id);
            if (known != doneAt.end())
                CHECK(run.attempt == known->second);
            if (run.state == RunState::done)
                doneAt.emplace(run.id, run.attempt);
        }
    }

    bool killOneOf(const std::string& part, std::mt19937_64& random)
    {
        const std::vector<int> victims = processes(part);
        return !victims.empty() && ::kill(victims[random() % victims.size()], SIGKILL) == 0;
    }

    bool allDone()
    {
        const auto rows = runs();
        return rows.size() == 4 &&
               std::ranges::all_of(rows, [](const auto& row) { return row.state == RunState::done; });
    }
};

/// Who was killed how often: the test has to have hit each of them.
using Hits = std::map<std::string, int>;

void killSeeded(std::uint64_t seed, Ending ending, Hits& hits)
{
    CAPTURE(seed);
    CAPTURE(static_cast<int>(ending));
    std::mt19937_64 random(seed);
    KillTest test;
    auto program = std::make_unique<Program>(test, ending);
    constexpr const char* kVictims[] = {"ringside-agent\trelay", "ringside-agent\trun", "testworker"};
    for (int kills = 0; kills < 6; ++kills) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 400));
        const std::size_t victim = random() % 4;
        if (victim == 3) {
            hits["conductor"] += program->runs() ? 1 : 0;
            program->kill();
        } else if (test.killOneOf(kVictims[victim], random)) {
            ++hits[kVictims[victim]];
        }
        if (!program->runs()) {
            if (fs::exists(test.options().store))
                test.requireNoneRepeated();
            program = std::make_unique<Program>(test, ending);
        }
    }
    for (int launches = 0; launches < 5; ++launches) { // a run whose rank was killed is lost until it is launched again
        for (int waited = 0; program->runs() && waited < 600; ++waited)
            std::this_thread::sleep_for(100ms);
        REQUIRE(program->endedWell());
        test.requireNoneRepeated();
        if (test.allDone())
            break;
        program = std::make_unique<Program>(test, ending);
    }
    CHECK(test.allDone());
    CHECK(requireStoreEqualsSpools(test.options().store, test.root) >= 2 * 15 + 2 * 2 * 15);
}

int seeds()
{
    const char* wanted = environment("RINGSIDE_KILL_SEEDS"); // for a longer search
    return wanted ? std::atoi(wanted) : 6;
}

} // namespace

TEST_CASE("kills at any point lose nothing, double nothing and repeat nothing")
{
    Hits hits;
    std::vector<Ending> endings = {Ending::collects, Ending::leaves};
    if (fs::exists(kCommandLine))
        endings.push_back(Ending::commandLine);
    else
        MESSAGE("ringside-cli is not part of this build: it is not killed");
    for (int seed = 1; seed <= seeds(); ++seed)
        killSeeded(static_cast<std::uint64_t>(seed), endings[static_cast<std::size_t>(seed) % endings.size()], hits);
    CHECK(hits.size() == 4);
    for (const auto& [victim, times] : hits)
        MESSAGE(victim << " was killed " << times << " times");
}
