// SPDX-License-Identifier: MIT
// Several programs and experiments on one store: detached, in each other's way, one after the other.
#include "core/jobs/reasons/reasonsentence.h"
#include "core/store/queries.h"
#include "tests/cli/clifixture.h"
#include "tests/support/runningtime.h"

#include <SQLiteCpp/Database.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <regex>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Runs of some 6 s each, so that there is time to interfere.
constexpr int kLongIterations = 600;
/// Ends only if it is cancelled.
constexpr int kEndlessIterations = 1'000'000;

std::string slow(const CliFixture& cli, int iterations = kLongIterations)
{
    return cli.experiment("slow", "ranks = [1]", 2, iterations);
}

std::unique_ptr<Program> started(const CliFixture& cli, int iterations = kLongIterations)
{
    auto program = cli.start({"run", slow(cli, iterations), "--json"});
    for (int tries = 0; tries < 300 && cli.count("slow", "running") == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(cli.count("slow", "running") == 1);
    return program;
}

std::size_t unfinishedCampaigns(const CliFixture& cli)
{
    const auto db = store::Database::openForReading(cli.folder / "data/ringside/ringside.db");
    REQUIRE(db);
    return store::campaigns(*db, true).value().size();
}

Ended detach(Program& program)
{
    program.signal(SIGINT);
    return program.wait();
}

std::string waitsFor(const std::string& experiment)
{
    return jobs::sentenceOf(because(why::kOtherCampaign, {{"experiment", experiment}}));
}

/// The runner of this computer's campaign: 0 if there is none.
pid_t runner(const CliFixture& cli)
{
    for (const pid_t pid : cli.processes()) {
        std::string command = readFile(fmt::format("/proc/{}/cmdline", pid)).value_or("");
        std::ranges::replace(command, '\0', '\t');
        if (command.find("ringside-agent\trun\t") != command.npos)
            return pid;
    }
    return 0;
}

/// Ranks that have begun, those that have ended included.
std::size_t spools(const CliFixture& cli)
{
    std::error_code ignored;
    const fs::recursive_directory_iterator all(cli.folder.path(), ignored);
    return static_cast<std::size_t>(
        std::count_if(begin(all), end(all), [](const auto& entry) { return entry.path().extension() == ".spool"; }));
}

/// As an earlier version left it.
void makeSchema7(const fs::path& path)
{
    auto db = store::Database::openForWriting(path);
    REQUIRE(db);
    db->handle().exec("DROP VIEW v_samples; DROP VIEW v_runs; DROP TABLE import_lines; DROP TABLE imports");
    for (const char* column :
         {"samples DROP COLUMN told", "samples DROP COLUMN iterations", "samples DROP COLUMN of_ranks",
          "summary DROP COLUMN told", "summary DROP COLUMN records", "summary DROP COLUMN of_ranks",
          "summary DROP COLUMN own_cores_share", "summary DROP COLUMN gpu_busy_share",
          "telemetry DROP COLUMN own_cores_share", "runs DROP COLUMN rank_processes"})
        db->handle().exec(fmt::format("ALTER TABLE {}", column));
    db->handle().exec("CREATE VIEW v_samples AS SELECT seq FROM samples");
    db->handle().exec("DROP INDEX attempts_done; DROP TABLE flag_reasons; DROP TABLE refused;"
                      "DROP TABLE cancellations; ALTER TABLE telemetry DROP COLUMN foreign_cores_share");
    for (const char* flag : {"disturbed", "throttled", "incomplete", "unobserved", "nan", "short"})
        db->handle().exec(fmt::format("ALTER TABLE attempts DROP COLUMN {}", flag));
    db->handle().exec("CREATE VIEW v_runs AS SELECT number FROM runs; PRAGMA user_version = 7");
}

} // namespace

TEST_CASE("two experiments after each other on one store")
{
    const CliFixture cli;
    const std::string waits = waitsFor("first"), waitsForAny = waits.substr(0, waits.find("first"));
    REQUIRE(waitsForAny.size() > 10);
    for (const char* name : {"first", "second"}) {
        const Ended ended = cli.run({"run", cli.experiment(name, "ranks = [1, 2]", 1, 8)});
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        CHECK_FALSE(ended.says(waitsForAny));
        CHECK(unfinishedCampaigns(cli) == 0);
        CHECK(cli.count(name, "done") == 2);
    }
    CHECK(cli.run({"collect", "--json"}).json().size() == 2);
}

TEST_CASE("a store in use names its holder, and reading goes on beside it")
{
    const CliFixture cli;
    const auto holder = started(cli);
    const Ended busy = cli.run({"collect"});
    CHECK(busy.code == 75);
    CHECK(busy.says("ringside-cli"));
    CHECK_FALSE(busy.says("read-only"));
    CHECK(cli.run({"run", slow(cli)}).code == 75);
    CHECK(cli.run({"runs", "--json"}).json().size() == 2);
    CHECK(detach(*holder).code == 130);
}

TEST_CASE("Ctrl+C detaches: the runs go on, and come home later")
{
    const CliFixture cli;
    const auto program = started(cli);
    const Ended detached = detach(*program);
    CHECK(detached.code == 130);
    CHECK(detached.says("ringside-cli collect "));
    CHECK(detached.says("ringside-cli cancel --experiment slow"));
    REQUIRE(detached.json().size() == 2);
    CHECK(detached.json()[0]["state"] == "running");
    CHECK(std::regex_search(cli.run({"runs"}).out, std::regex(" unknown since ([0-9-]+ )?[0-9][0-9]:[0-9][0-9] ")));

    SUBCASE("collect brings them")
    {
        const Json first = cli.run({"collect", "--json"}).json();
        CHECK(first[0]["runs"]["unknown"] == 0);
        CHECK(first[0]["runs"]["running"].get<int>() + first[0]["runs"]["done"].get<int>() > 0);
        for (int tries = 0; tries < 100 && cli.count("slow", "done") < 2; ++tries) {
            REQUIRE(cli.run({"collect"}).code == 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        for (const Json& run : cli.run({"runs", "--json"}).json()) {
            CHECK(run["state"] == "done");
            CHECK(run["attempt"] == 1);
            CHECK(run["samples"] == kLongIterations);
        }
    }
    SUBCASE("collect says what is gone meanwhile, and counts it")
    {
        while (!cli.hasRunnerEnded())
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const Json second = cli.run({"runs", "--json"}).json()[1];
        const std::int64_t had = second["samples"];
        fs::remove_all(cli.folder / "data/ringside/runs" / second["id"].get<std::string>());
        SUBCASE("at once") {}
        SUBCASE("after an update of this program")
        {
            makeSchema7(cli.folder / "data/ringside/ringside.db");
        }
        const Ended collected = cli.run({"collect"});
        CAPTURE(collected.err);
        CHECK(collected.code == 3);
        CHECK(collected.says(fmt::format("Run 2: {} samples are no longer on the site.", kLongIterations - had)));
        CHECK(collected.says(fmt::format("{} samples of 1 run are gone", kLongIterations - had)));
        CHECK(cli.count("slow", "done") == 2);
        CHECK(cli.run({"runs", "--json"}).json()[0]["samples"] == kLongIterations);
    }
    SUBCASE("another experiment says what it waits for")
    {
        const auto next = cli.start({"run", cli.experiment("next", "ranks = [1]", 1, 8)});
        CHECK(next->waitToSay(waitsFor("slow")));
        const Ended ended = next->wait();
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        CHECK(cli.count("slow", "done") == 2);
        CHECK(cli.count("next", "done") == 1);
    }
}

/// The first run ends only when it is cancelled, so that the second one waits however long a command takes.
TEST_CASE("what was detached is held, continued, and cancelled as far as it waits")
{
    const CliFixture cli;
    CHECK(detach(*started(cli, kEndlessIterations)).code == 130);
    CHECK(cli.run({"hold"}).code == 2);
    CHECK(cli.run({"hold", "fast"}).code == 2);
    CHECK(cli.run({"cancel", "--run", "2", "--waiting"}).code == 2);
    const Json held = cli.run({"hold", "slow", "--json"}).json();
    CHECK(held[0]["runs"]["held"] == 1);
    const Json second = cli.run({"runs", "--json"}).json()[1];
    CHECK(second["reason_code"] == why::kExperimentHeld);
    CHECK(second["reason"] == jobs::sentenceOf(because(why::kExperimentHeld)));
    CHECK(cli.run({"continue", "slow", "--json"}).json()[0]["runs"]["held"] == 0);
    REQUIRE(cli.run({"hold", "slow"}).code == 0);
    const Ended waiting = cli.run({"cancel", "slow", "--waiting", "--json"});
    CHECK(waiting.code == 0);
    CHECK(waiting.json()[0]["runs"]["cancelled"] == 1);
    CHECK(cli.count("slow", "cancelled") == 1); // what runs goes on
    CHECK(cli.run({"cancel", "--run", "1"}).code == 0);
    CHECK(cli.run({"run", cli.experiment("next", "ranks = [1]", 1, 8)}).code == 0); // waits for no one for ever
    CHECK(cli.count("slow", "cancelled") == 2);
    CHECK(cli.run({"continue", "slow"}).says("nothing to continue"));
}

TEST_CASE("what has begun while no program watched goes on where only what waits is cancelled")
{
    const CliFixture cli;
    CHECK(detach(*started(cli)).code == 130);
    REQUIRE(cli.count("slow", "done") == 0);
    REQUIRE(eventually(std::chrono::seconds(90), [&] { return spools(cli) == 2; }));
    CHECK(cli.run({"cancel", "slow", "--waiting"}).code == 0);
    REQUIRE(eventually(std::chrono::seconds(90), [&] { return cli.hasRunnerEnded(); }));
    CHECK(cli.run({"collect"}).code == 0);
    CHECK(cli.count("slow", "done") == 2);
}

TEST_CASE("what is continued whose runner died while it was held has a runner again when the command ends")
{
    const CliFixture cli;
    CHECK(detach(*started(cli, kEndlessIterations)).code == 130);
    REQUIRE(cli.run({"hold", "slow"}).code == 0);
    REQUIRE(runner(cli) != 0);
    ::kill(runner(cli), SIGKILL);
    REQUIRE(eventually(std::chrono::seconds(60), [&] { return cli.processes().empty(); }));
    CHECK(cli.run({"hold", "slow"}).code == 0); // begins none
    CHECK(runner(cli) == 0);
    const Ended continued = cli.run({"continue", "slow"});
    CAPTURE(continued.err);
    CHECK(continued.code == 0);
    CHECK(runner(cli) != 0);
    CHECK(cli.run({"cancel", "slow"}).code == 0);
}

TEST_CASE("what was detached is not deleted, and is cancelled by name")
{
    const CliFixture cli;
    CHECK(detach(*started(cli, kEndlessIterations)).code == 130);
    const Ended refused = cli.run({"delete", "slow", "--yes"});
    CHECK(refused.code == 75);
    CHECK(refused.says("A campaign of “slow” at “local” has not ended yet. Cancel it, "));
    CHECK(cli.run({"archive", "slow"}).code == 0);
    CHECK(cli.run({"cancel"}).code == 2);
    CHECK(cli.run({"cancel", "--run", "2xyz"}).code == 2);
    CHECK(cli.run({"cancel", "--experiment", "fast"}).code == 2);
    CHECK(cli.run({"runs", "--json"}).json().size() == 2);
    CHECK(cli.count("slow", "cancelled") == 0);
    const Json one = cli.run({"cancel", "--run", "2", "--json"}).json();
    REQUIRE(one.size() == 1);
    CHECK(one[0]["experiment"] == "slow");
    CHECK(one[0]["runs"]["total"] == 2);
    CHECK(one[0]["runs"]["cancelled"] == 1);
    const Ended all = cli.run({"cancel", "--experiment", "slow", "--json"});
    CHECK(all.code == 0);
    CHECK(all.json()[0]["runs"]["cancelled"] == 2);
    CHECK(cli.count("slow", "cancelled") == 2);
}
