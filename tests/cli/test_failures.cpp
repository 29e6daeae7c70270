// SPDX-License-Identifier: MIT
// Failures are reported with their reason and with what to do, and end with the status that CONTRACTS name.
#include "core/store/migrate.h"
#include "core/store/queries.h"
#include "core/store/schema.h"
#include "tests/cli/clifixture.h"
#include "tests/support/built.h"
#include "tests/support/privileges.h"
#include "tests/support/runningtime.h"
#include "tests/support/smalldisk.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// A worker that does this when it shall train.
std::string script(const CliFixture& cli, const std::string& name, const std::string& train)
{
    const std::string path = cli.write(name, "#!/bin/sh\n"
                                             "if [ \"$1\" = features ]; then echo '{\"mpi\": true}'; exit; fi\n" +
                                                 train);
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

/// It says why it cannot go on.
std::string failingWorker(const CliFixture& cli)
{
    return script(cli, "failing-worker", "echo 'rank 0: There are no pictures in /p.' >&2\nexit 13\n");
}

} // namespace

TEST_CASE("a failed run is said with what its rank said last, and done again only when asked")
{
    CliFixture cli;
    cli.environment["RINGSIDE_WORKER"] = failingWorker(cli);
    const std::string file = cli.experiment("failing", "ranks = [1]", 2, 8);
    const Ended failed = cli.run({"run", file});
    CAPTURE(failed.err);
    CHECK(failed.code == 3);
    CHECK(failed.says("could not read its data: There are no pictures in /p."));
    CHECK(failed.says("2 of 2 runs failed or were cancelled"));
    CHECK_FALSE(failed.says("is a base case"));
    CHECK(failed.says("ringside-cli run --retry-failed "));
    const std::string table = cli.run({"compare", "--experiment", "failing", "--show", "throughput"}).out;
    CAPTURE(table);
    CHECK(table.find("Throughput (images/s)") == 0);                 // one configuration needs no name
    CHECK(std::regex_search(table, std::regex("\n *– +– +0 +2\n"))); // no rate, no interval, n, failed; and no flags
    CHECK(table.find("note: No finished runs match.") != std::string::npos);
    const fs::path picture = cli.folder / "failing.svg";
    const Ended drawn =
        cli.run({"figure", "--experiment", "failing", "--show", "throughput", "--to", picture.string()});
    CHECK(drawn.code == 2);
    CHECK(drawn.says("No run of “failing” is done: there is nothing to draw."));
    CHECK_FALSE(fs::exists(picture));
    const Json run = cli.run({"show", "1"}).json();
    CHECK(run["state"] == "failed");
    REQUIRE_FALSE(run["attempts"][0]["logs"].empty());

    cli.environment["RINGSIDE_WORKER"] = testProgram("testworker");
    CHECK(cli.run({"run", file}).code == 3);
    CHECK(cli.count("failing", "failed") == 2);
    CHECK(cli.run({"run", file, "--retry-failed"}).code == 0);
    CHECK(cli.count("failing", "done") == 2);
}

TEST_CASE("what was lost from outside is done again without being asked for")
{
    CliFixture cli;
    cli.environment["RINGSIDE_WORKER"] = script(cli, "killed-worker", "kill -9 $$\n");
    const std::string file = cli.experiment("lost", "ranks = [1]", 1, 8);
    const Ended lost = cli.run({"run", file});
    CAPTURE(lost.err);
    CHECK(lost.code == 3);
    CHECK(lost.says("ringside-cli run " + file));
    CHECK_FALSE(lost.says("--retry-failed"));
    cli.environment["RINGSIDE_WORKER"] = testProgram("testworker");
    CHECK(cli.run({"run", file}).code == 0);
}

TEST_CASE("a spool that is none is refused by name, with the status of damaged data")
{
    CliFixture cli;
    cli.environment["RINGSIDE_WORKER"] = script(cli, "foreign-worker",
                                                "while [ \"$1\" != --attempt ]; do shift; done\n"
                                                "printf 'a letter, not samples' > \"$2/rank-0.spool\"\n");
    const Ended ended = cli.run({"run", cli.experiment("foreign", "ranks = [1]", 1, 8, "")});
    CAPTURE(ended.err);
    CHECK(ended.says("rank-0.spool"));
    CHECK(ended.code == 65);
}

TEST_CASE("what every run would lack is said before one is launched")
{
    CliFixture cli;
    const std::string file = cli.experiment("early", "ranks = [1, 2]", 1, 8);
    SUBCASE("no mpirun")
    {
        cli.environment["PATH"] = cli.folder.path().string();
        const Ended refused = cli.run({"run", file});
        CHECK(refused.code == 2);
        CHECK(refused.says("mpirun, which is not in PATH"));
    }
    SUBCASE("no worker")
    {
        cli.environment["RINGSIDE_WORKER"] = "/nowhere/ringside-worker";
        const Ended refused = cli.run({"run", file});
        CHECK(refused.code == 69);
        CHECK(refused.says("/nowhere/ringside-worker is not there"));
        CHECK(cli.run({"check", file}).code == 69);
        const Ended wrong = cli.run({"run", cli.experiment("wrong", "rnks = [1]", 1, 8, "")});
        CHECK(wrong.code == 2); // first what the file's author can mend
    }
    SUBCASE("a worker that does not load")
    {
        const std::string worker = cli.write("broken", "#!/bin/sh\necho 'broken: error while loading shared libraries: "
                                                       "libtorch.so: cannot open' >&2\nexit 127\n");
        fs::permissions(worker, fs::perms::owner_all);
        cli.environment["RINGSIDE_WORKER"] = worker;
        const Ended refused = cli.run({"run", file});
        CHECK(refused.code == 69);
        CHECK(refused.says("installers/dependencies.sh"));
    }
    CHECK_FALSE(fs::exists(cli.folder / "data/ringside/ringside.db"));
}

TEST_CASE("a worker is named from the working folder on, a data folder from / on")
{
    CliFixture cli;
    cli.environment["RINGSIDE_WORKER"] = fs::relative(testProgram("testworker")).string();
    cli.environment["XDG_DATA_HOME"] = "data";
    const Ended ended = cli.run({"run", cli.experiment("near", "ranks = [1]", 1, 8)});
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(fs::exists(cli.folder / "home/.local/share/ringside/ringside.db"));
    CHECK_FALSE(fs::exists("data/ringside"));
}

TEST_CASE("usage")
{
    const CliFixture cli;
    const Ended unknown = cli.run({"comparr"});
    CHECK(unknown.code == 2);
    CHECK(unknown.says("There is no command “comparr”. Did you mean “compare”?"));
    CHECK(cli.run({}).code == 2);
    CHECK(cli.run({"run"}).code == 2);
    CHECK(cli.run({"cancel"}).code == 2);
    CHECK(cli.run({"cancel", "--json"}).code == 2);
    CHECK(cli.run({"cancel", "--experiment", "a", "--run", "1"}).code == 2);
    CHECK(cli.run({"cancel", "a", "--run", "1"}).code == 2);
    CHECK(cli.run({"cancel", "--experiment", ""}).code == 2);
    CHECK(cli.run({"run", "some.toml", "--small", "--site", "demo"}).says("--site excludes --small"));
    for (const Arguments& empty : {Arguments{"runs", "--experiment", ""},
                                   {"run", "some.toml", "--site", ""},
                                   {"delete", "a", "--yes", "--store", ""},
                                   {"plans", ""}})
        CHECK(cli.run(empty).says("must not be empty"));
    for (const Arguments& idle : {Arguments{"plans", "--store", "lab.db"},
                                  {"engine", "list", "--store", "lab.db"},
                                  {"site", "list", "--store", "lab.db"},
                                  {"site", "add", "alder", "--json"}})
        CHECK(cli.run(idle).code == 2);
    CHECK(cli.run({"--help"}).out.find("1 a defect") != std::string::npos);
    CHECK(cli.run({"figure", "--help"}).out.find("Example:\n  ringside-cli figure --experiment") != std::string::npos);
}

TEST_CASE("a database that is not there is not made by asking for it")
{
    const CliFixture cli;
    const std::string store = (cli.folder / "none.db").string();
    for (const Arguments& command : {Arguments{"runs"},
                                     {"collect"},
                                     {"cancel", "--experiment", "a"},
                                     {"show", "1"},
                                     {"compare", "--experiment", "a"}}) {
        Arguments arguments = command;
        arguments.insert(arguments.end(), {"--store", store});
        const Ended ended = cli.run(arguments);
        CHECK(ended.code == 2);
        CHECK(ended.says("There is no database " + store));
        CHECK(ended.says("“ringside-cli run --store " + store + " FILE” makes one"));
        CHECK_FALSE(fs::exists(store));
        const std::string empty = cli.write("empty.db", "");
        arguments.back() = empty;
        const Ended none = cli.run(arguments);
        CHECK(none.code == 2);
        CHECK(none.says(empty + " is empty, no database yet"));
        CHECK(fs::file_size(empty) == 0);
    }
}

TEST_CASE("what to do next is said for the store that was named")
{
    const CliFixture cli;
    const std::string path = (cli.folder / "lab.db").string();
    REQUIRE(cli.run({"run", cli.experiment("near", "ranks = [1]", 1, 8), "--store", path}).code == 0);
    const std::string runs = "“ringside-cli runs --store " + path + "”";
    CHECK(cli.run({"show", "7", "--store", path}).says(runs));
    CHECK(cli.run({"hold", "far", "--store", path}).says(runs));
    CHECK(cli.run({"delete", "near", "--store", path}).says("“ringside-cli archive --store " + path + " near”"));
    CHECK(cli.run({"calibrate", "local", "--show", "--store", path})
              .says("“ringside-cli calibrate --store " + path + " local”"));
    CHECK_FALSE(cli.run({"calibrate", "imported", "--show", "--store", path}).says("ringside-cli calibrate"));
}

TEST_CASE("a database in a folder that may not be entered is said to be so, not to be missing")
{
    const CliFixture cli;
    const fs::path closed = cli.folder / "closed";
    const std::string store = (closed / "lab.db").string();
    fs::create_directory(closed);
    {
        const auto made = store::Database::openForWriting(store);
        REQUIRE(made);
    }
    fs::permissions(closed, fs::perms(0));
    fs::permissions(cli.folder.path(), fs::perms(0777)); // the unprivileged user writes the output there
    const std::string said = (cli.folder / "said").string();
    for (const char* name : {"ringside-cli", "ringside-agent"}) // the build may be one that only its owner enters
        fs::copy_file(test::builtProgram(name), cli.folder / name);
    const std::string program = (cli.folder / "ringside-cli").string();
    const std::string log = cli.write("none.log", "Nothing.\n");
    fs::permissions(log, fs::perms(0644));
    for (const std::string& command :
         {std::string("runs"), std::string("show 1"), std::string("compare --experiment a"), std::string("collect"),
          "import --dry-run " + log}) {
        CAPTURE(command);
        const bool isSaid = withoutPrivileges([&] {
            const std::string line = fmt::format("HOME='{}' '{}' {} --store '{}' 2>'{}'", cli.folder.path().string(),
                                                 program, command, store, said);
            const int status = std::system(line.c_str());
            const std::string text = readFile(said).value_or("");
            ::unlink(said.c_str());
            return WIFEXITED(status) && WEXITSTATUS(status) == (command == "collect" ? 73 : 2) &&
                   text.find("Permission denied") != std::string::npos && text.find("no database") == std::string::npos;
        });
        CHECK(isSaid);
    }
    fs::permissions(closed, fs::perms(0700));
}

TEST_CASE("a database of an earlier version is read once it was brought up to date, and that is said")
{
    const CliFixture cli;
    const std::string path = (cli.folder / "old.db").string();
    {
        SQLite::Database old(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec(fmt::format("PRAGMA application_id = {}", store::kApplicationId));
        REQUIRE(store::migrate(old, path, store::migrations().first(4)));
        old.exec("INSERT INTO meta VALUES ('store', '5a3b0d7e-0000-4000-8000-000000000001')");
    }
    const Ended refused = cli.run({"runs", "--store", path});
    CAPTURE(refused.err);
    CHECK(refused.code == 65);
    CHECK(refused.says(path + " was written by an earlier version of Ringside (schema 4;"));
    CHECK(refused.says("ringside-cli collect"));
    CHECK(cli.run({"collect", "--store", path}).code == 0);
    CHECK(cli.run({"runs", "--store", path, "--json"}).json().empty());
}

TEST_CASE("a database whose disk fills up ends run in time, and what is missing comes home when there is room")
{
    CliFixture cli;
    const fs::path place = cli.folder / "small";
    fs::create_directory(place);
    SmallDisk disk(place, 2048);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: " << disk.problem());
        return;
    }
    const std::string path = (place / "lab.db").string();
    const auto program = cli.start({"run", cli.experiment("full", "ranks = [1]", 1, 100'000, ""), "--store", path});
    const auto samples = [&] {
        const auto db = store::Database::openForReading(path);
        const auto rows = db ? store::runs(*db) : tl::unexpected(db.error());
        return rows && !rows->empty() ? rows->front().samples : 0;
    };
    for (const RunningTime time; samples() == 0;) {
        REQUIRE(time.elapsed() < std::chrono::seconds(60));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    disk.fill();
    CHECK(program->waitToSay("the disk is full")); // at once, and not only at its end
    const RunningTime waited;
    const Ended ended = program->wait();
    CAPTURE(ended.err);
    CHECK(waited.elapsed() < std::chrono::seconds(20));
    CHECK(ended.code == 73);
    CHECK(ended.says("The runs continue without this program."));
    disk.fill(); // what the log gave back
    const Ended collected = cli.run({"collect", "--store", path});
    CHECK_MESSAGE(collected.code == 73, collected.err);
    const auto before = samples();
    CHECK(before > 0);

    disk.grow();
    CHECK(cli.run({"cancel", "--experiment", "full", "--store", path}).code == 0);
    CHECK(cli.run({"collect", "--store", path}).code == 0);
    CHECK(samples() > before);
    const auto db = store::Database::openForReading(path);
    REQUIRE(db);
    const store::RunRow run = store::runs(*db)->front();
    CHECK(run.state == RunState::cancelled);
    const auto stored = *store::samples(*db, run.id, 1);
    for (std::size_t seq = 0; seq < stored.size(); ++seq)
        REQUIRE(stored[seq].sample.seq == seq);
}

TEST_CASE("places that are no file, no database or take no files")
{
    const CliFixture cli;
    const std::string file = cli.experiment("place", "ranks = [1]", 1, 8);
    CHECK(cli.run({"check", "/tmp"}).code == 2);
    CHECK(cli.run({"check", "/nowhere.toml"}).says("Check the path"));
    const std::string big = cli.write("big.toml", std::string(8u << 20, '#'));
    CHECK(cli.run({"check", big}).code == 2);
    CHECK(cli.run({"run", big}).code == 2);
    const std::string pipe = (cli.folder / "pipe.toml").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const char* command : {"check", "run"}) {
        const Ended refused = cli.run({command, pipe});
        CHECK(refused.code == 2);
        CHECK(refused.says("is a pipe or a device"));
    }
    CHECK(cli.run({"runs", "--store", "/tmp"}).code == 2);
    CHECK(cli.run({"run", file, "--store", "/proc/x.db"}).code == 73);
    const std::string text = cli.write("text.db", "This is no database, and it is longer than the head of one would "
                                                  "be, so that nobody takes it for one that was cut.");
    CHECK(cli.run({"runs", "--store", text}).code == 65);
    CHECK(cli.run({"run", file, "--store", text}).code == 65);
    CHECK(cli.run({"run", file, "--site", "moon"}).says("There is no site “moon”"));
}
