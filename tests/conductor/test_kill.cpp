// SPDX-License-Identifier: MIT
// Seeded kills of every program of the chain. Afterwards the database holds exactly what the spools hold, no run that
// was done was repeated, and everything is done.
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"

#include <algorithm>
#include <csignal>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

using namespace std::chrono_literals;

/// The program with the conductor in it, as the command line is one: does what is missing, then ends.
class Program
{
public:
    explicit Program(const ConductorFixture& fixture)
    {
        m_pid = ::fork();
        if (m_pid == 0)
            ::_exit(carryOut(fixture.options()) ? 0 : 1);
    }
    ~Program() { kill(); }

    bool runs()
    {
        if (m_pid > 0 && ::waitpid(m_pid, &m_status, WNOHANG) == m_pid)
            m_pid = 0;
        return m_pid > 0;
    }
    bool endedWell() { return !runs() && WIFEXITED(m_status) && WEXITSTATUS(m_status) == 0; }
    void kill()
    {
        if (!runs())
            return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, &m_status, 0);
        m_pid = 0;
    }

private:
    static bool carryOut(const ConductorOptions& options)
    {
        RecordingSink sink;
        const auto conductor = Conductor::open(options, sink);
        if (!conductor)
            return false;
        const auto done = [&](Ticket ticket) {
            return sink.waitUntil([&] { return sink.answers.contains(ticket); }) && sink.answers.at(ticket).has_value();
        };
        if (!done((*conductor)->saveExperiment(experiment("[1, 2]", 2, 15))) || !done((*conductor)->launch({"kill"})))
            return false;
        const auto over = [&] {
            const auto db = store::Database::openForReading(options.store);
            const auto rows = db ? store::runs(*db) : tl::unexpected(db.error());
            return rows && std::ranges::all_of(*rows, [](const auto& row) { return isFinal(row.state); });
        };
        while (!over())
            std::this_thread::sleep_for(50ms);
        return done((*conductor)->collect());
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

void killSeeded(std::uint64_t seed, Hits& hits)
{
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    KillTest test;
    auto program = std::make_unique<Program>(test);
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
            program = std::make_unique<Program>(test);
        }
    }
    for (int launches = 0; launches < 5; ++launches) { // a run whose rank was killed is lost until it is launched again
        for (int waited = 0; program->runs() && waited < 600; ++waited)
            std::this_thread::sleep_for(100ms);
        REQUIRE(program->endedWell());
        test.requireNoneRepeated();
        if (test.allDone())
            break;
        program = std::make_unique<Program>(test);
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
    for (int seed = 1; seed <= seeds(); ++seed)
        killSeeded(static_cast<std::uint64_t>(seed), hits);
    CHECK(hits.size() == 4);
    for (const auto& [victim, times] : hits)
        MESSAGE(victim << " was killed " << times << " times");
}
