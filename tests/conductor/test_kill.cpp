// SPDX-License-Identifier: MIT
// Seeded kills of every program of the chain. Afterwards the database holds exactly what the spools hold, no run that
// was done was repeated, and everything is done.
#include "core/base/environment.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/support/built.h"
#include "tests/support/exitcodes.h"
#include "tests/support/runningtime.h"
#include "tests/support/seeds.h"

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

/// The way in which the program with the conductor ends once every run has an end.
enum class Ending
{
    collects,
    leaves,      ///< at once
    commandLine, ///< is ringside-cli, which leaves at once, too
    window       ///< is ringside, which stays
};

const fs::path kCommandLine = builtProgram("ringside-cli");
const fs::path kWindow = builtProgram("ringside");

std::vector<std::string> commandOf(Ending ending)
{
    switch (ending) {
    case Ending::commandLine:
        return {kCommandLine, "run"};
    case Ending::window:
        return {kWindow, "--run"};
    case Ending::collects:
        return {testProgram("killprobe"), "collects"};
    case Ending::leaves:
        break;
    }
    return {testProgram("killprobe"), "leaves"};
}

const char* nameOf(Ending ending)
{
    return ending == Ending::commandLine ? "ringside-cli" : ending == Ending::window ? "ringside" : "conductor";
}

/// Does what is missing, then ends.
class Program
{
public:
    Program(const ConductorFixture& fixture, Ending ending, const spec::Experiment& wanted = whole())
    {
        m_pid = ::fork();
        if (m_pid == 0)
            become(fixture, wanted, commandOf(ending));
    }
    ~Program() { kill(); }

    bool runs()
    {
        if (m_pid > 0 && ::waitpid(m_pid, &m_status, WNOHANG) == m_pid)
            m_pid = 0;
        return m_pid > 0;
    }
    bool endedWell() { return endedWith(0) || endedWith(kExitSomeFailed); }
    bool endedUnavailable() { return endedWith(kExitUnavailable); }
    void kill()
    {
        if (!runs())
            return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, &m_status, 0);
        m_pid = 0;
    }

private:
    bool endedWith(int code) { return !runs() && WIFEXITED(m_status) && WEXITSTATUS(m_status) == code; }

    /// The program with the store and the experiment as its further arguments.
    [[noreturn]] static void become(const ConductorFixture& fixture, const spec::Experiment& wanted,
                                    std::vector<std::string> command)
    {
        const fs::path file = fixture.folder / "kill.toml", log = fixture.folder / "program.log";
        (void)writeFileAtomically(file, spec::writeExperiment(wanted));
        ::setenv("HOME", fixture.folder.path().c_str(), 1);
        ::setenv("XDG_DATA_HOME", fixture.root.parent_path().c_str(), 1);
        ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
        ::setenv("RINGSIDE_WORKER", testProgram("testworker").c_str(), 1);
        const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(fd, STDOUT_FILENO);
        ::dup2(fd, STDERR_FILENO);
        command.insert(command.end(), {file, "--store", fixture.options().store});
        std::vector<char*> arguments;
        for (std::string& argument : command)
            arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }

    static spec::Experiment whole() { return experiment("[1, 2]", 2, 15); }

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

    std::int64_t samplesSeen() const
    {
        std::int64_t samples = 0;
        for (const store::RunRow& run : runs())
            samples += run.samples;
        return samples;
    }

    /// As another program sees it in the database.
    void awaitNews(Program& program)
    {
        const std::int64_t before = samplesSeen();
        const RunningTime time;
        while (samplesSeen() <= before) {
            REQUIRE(program.runs());
            REQUIRE(time.elapsed() < 60s);
            std::this_thread::sleep_for(20ms);
        }
    }

    std::string said() const { return readFile(folder / "program.log").value_or(""); }

    /// Contact was lost before anything was launched: what is launched is followed to its end.
    bool launchedNothing(Program& program) const
    {
        if (!program.endedUnavailable())
            return false;
        const auto hasEnd = [](const store::RunRow& run) { return isFinal(run.state); };
        return !fs::exists(options().store) || std::ranges::all_of(runs(), hasEnd);
    }

    bool allDone()
    {
        if (!fs::exists(options().store)) // not yet: a program takes its time to start on a busy machine
            return false;
        const auto rows = runs();
        return rows.size() == 4 &&
               std::ranges::all_of(rows, [](const auto& row) { return row.state == RunState::done; });
    }
};

/// The blocks of STORE.md in a language ("sh", "python"), for scripts.
std::vector<std::string> recommended(const std::string& language)
{
    const std::string text = must(readFile(sourceFolder() / "core/store/STORE.md"));
    const std::string fence = "```" + language + "\n";
    std::vector<std::string> blocks;
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
        at += fence.size();
        blocks.push_back(text.substr(at, text.find("\n```", at) - at));
    }
    return blocks;
}

/// Commands for a shell in the folder of lab.db that STORE.md recommends while Ringside is open.
std::vector<std::string> recommendedCommands(const fs::path& folder)
{
    // All that pandas does with a connection; the real one is large.
    must(writeFileAtomically(folder / "pandas.py", "def read_sql(sql, db):\n    return db.execute(sql).fetchall()\n"));
    std::vector<std::string> commands = recommended("sh");
    std::erase_if(commands, [](const std::string& each) { return each.find("immutable") != std::string::npos; });
    for (const std::string& script : recommended("python")) {
        must(writeFileAtomically(folder / "recommended.py", script));
        commands.push_back("python3 recommended.py");
    }
    return commands;
}

/// Returns whether every run came to its end, and the program ended well if it is one that does.
bool finishes(Program& program, Ending ending, KillTest& test)
{
    const int limit = ending == Ending::window ? 200 : 3'000; // tenths of a second, long enough for a sanitizer
    for (int waited = 0; program.runs() && waited < limit; ++waited) {
        if (ending == Ending::window && test.allDone())
            break;
        std::this_thread::sleep_for(100ms);
    }
    if (ending != Ending::window)
        return program.endedWell();
    const bool stayed = program.runs();
    program.kill();
    return stayed;
}

/// The programs that were killed, and how often: the test has to have hit each of them.
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
            if (program->runs())
                ++hits[nameOf(ending)];
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
        const bool hasFinished = finishes(*program, ending, test);
        INFO("said: ", test.said());
        if (!hasFinished) { // the last kill may have met a relay that was being asked for what a launch needs
            REQUIRE(launches == 0);
            REQUIRE(test.launchedNothing(*program));
        }
        test.requireNoneRepeated();
        if (test.allDone())
            break;
        program = std::make_unique<Program>(test, ending);
    }
    CHECK(test.allDone());
    if (ending == Ending::window) { // killed the moment that all was done: what was still on its way is there to be had
        program = std::make_unique<Program>(test, Ending::collects);
        REQUIRE(finishes(*program, Ending::collects, test));
    }
    CHECK(requireStoreEqualsSpools(test.options().store, test.root) >= 2 * 15 + 2 * 2 * 15);
}

std::vector<std::uint64_t> killSeeds()
{
    const char* wanted = environment("RINGSIDE_KILL_SEEDS"); // for a longer search
    return test::seeds(1, wanted ? std::strtoul(wanted, nullptr, 10) : 8);
}

/// The program that a kill meets depends on the machine's pace, too: so many more seeds are tried until each was met.
constexpr std::uint64_t kMostFurtherSeeds = 16;

std::vector<Ending> endings()
{
    std::vector<Ending> endings = {Ending::collects, Ending::leaves};
    for (const auto& [ending, program] : {std::pair{Ending::commandLine, kCommandLine}, {Ending::window, kWindow}})
        if (fs::exists(program))
            endings.push_back(ending);
        else
            MESSAGE("skipped: ", nameOf(ending), " is not part of this build, so it is not killed");
    return endings;
}

} // namespace

TEST_CASE("kills at any point lose nothing, double nothing and repeat nothing")
{
    Hits hits;
    const auto ways = endings();
    const auto seeds = killSeeds();
    const std::size_t victims = 3 + ways.size() - 1; // those that collect and those that leave are both "conductor"
    for (const auto seed : seeds)
        killSeeded(seed, ways[seed % ways.size()], hits);
    if (seeds.size() > 1) { // not of one that is tried again
        for (auto seed = seeds.back() + 1; hits.size() < victims && seed <= seeds.back() + kMostFurtherSeeds; ++seed)
            killSeeded(seed, ways[seed % ways.size()], hits);
        CHECK(hits.size() == victims);
    }
    for (const auto& [victim, times] : hits)
        MESSAGE(victim << " was killed " << times << " times");
}

TEST_CASE("what STORE.md recommends is done while a campaign runs, and a kill then loses nothing")
{
    KillTest test;
    const bool isBuilt = fs::exists(kCommandLine);
    Program program(test, isBuilt ? Ending::commandLine : Ending::leaves, experiment("[1]", 1, 100'000));
    while (program.runs() && !fs::exists(test.options().store))
        std::this_thread::sleep_for(20ms);
    test.awaitNews(program);
    const auto commands = recommendedCommands(test.folder.path());
    REQUIRE(commands.size() >= 3);
    for (const std::string& command : commands) {
        CAPTURE(command);
        CHECK(std::system(
                  ("cd '" + test.folder.path().string() + "' && " + command + " >>neighbours.log 2>&1").c_str()) == 0);
        test.awaitNews(program);
    }
    const std::int64_t seen = test.samplesSeen();
    program.kill();
    CHECK(test.samplesSeen() >= seen);
    CHECK(must(store::runs(must(store::Database::openForReading(test.folder / "backup.db")))).size() == 1);

    RecordingSink sink;
    const auto conductor = test.open(sink);
    must(conductor->control({{Control::Kind::cancel}, "kill"}));
    REQUIRE(sink.waitUntil([&] { return sink.rows.size() == 1 && isFinal(sink.rows.begin()->second.state); }));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(test.options().store, test.root) >= static_cast<std::size_t>(seen));
}
