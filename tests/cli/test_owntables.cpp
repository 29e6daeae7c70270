// SPDX-License-Identifier: MIT
// A user's own table, by the steps of the page about tables: installed without a recipe, tried by the real runner,
// removed.
#include "tests/cli/clifixture.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr const char* kScript = R"(import os, sys, time
import ringside_records
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
records = ringside_records.Records(items=int(words["--batch"]), rank=rank, ranks=ranks)
for iteration in range(int(words["--iterations"])):
    time.sleep(0.002)
    records.iteration(1.0)
)";

constexpr const char* kOwnScript = R"(import mynet
import ringside_records
records = ringside_records.Records(items=8)
for iteration in range(int(open("steps.txt").read())):
    records.iteration(1.0)
open("weights", "w").write("trained")
)";

/// A system that nothing installs.
constexpr const char* kFoundTable = R"(
format = 1
name = "found"
title = "Found"
licence = "MIT"
settings = ["device"]
[launch]
command = ["{python}", "-c", "pass"]
[install]
program = "foundprogram"
megabytes = 1
seconds = 5
from = "the site"
)";

struct TableFixture : CliFixture
{
    TableFixture()
    {
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
        environment["PATH"] = "/usr/bin:/bin";
    }

    void describe(const std::string& table) const
    {
        fs::create_directories(folder / "config/ringside/adapters");
        write("config/ringside/adapters/mine.toml", table);
        write("train.py", kScript);
    }

    /// The shortest that starts something, as core/adapters/README.md has it, for the script in this folder.
    std::string shortestTable() const
    {
        std::string table = readFile(sourceFolder() / "core/adapters/README.md").value_or("");
        const std::size_t begin = table.find("    format   = 1\n"), end = table.find("\n\n", begin);
        table = begin == table.npos ? std::string() : table.substr(begin, end + 1 - begin);
        const std::string there = "/home/me/train.py";
        REQUIRE(table.find(there) != table.npos);
        return table.replace(table.find(there), there.size(), (folder / "train.py").string());
    }

    /// The same for users' own scripts, too; a module has its version, for whose folder the table is.
    std::string tableOfScripts(const fs::path& modules) const
    {
        std::string table = shortestTable();
        const std::string there = "{drivers}";
        table.replace(table.find(there), there.size(), modules.string());
        table.insert(table.find("    [launch.environment]"), "script_command = [\"{python}\", \"{mine.script}\"]\n");
        return table + "[install]\nmodule = \"mynet\"\n";
    }

    Json listed(const std::string& name = "mine") const
    {
        for (const Json& each : run({"engine", "list", "--json"}).json())
            if (each["name"] == name)
                return each;
        return {};
    }
};

} // namespace

TEST_CASE_FIXTURE(TableFixture, "the shortest table of the page is checked and run by the steps of the page")
{
    describe(shortestTable());
    const Ended before = run({"engine", "check", "mine"});
    CHECK(before.out.find("mine is not installed here. Install it in Sites, card Systems, or by “ringside-cli engine "
                          "install mine”.") != std::string::npos);
    CHECK(run({"engine", "install", "mine", "--python", "/usr/bin/false", "--yes"}).code == 69);
    const Ended installed = run({"engine", "install", "mine", "--python", "/usr/bin/python3", "--yes"});
    CAPTURE(installed.err);
    CHECK(installed.code == 0);
    CHECK(installed.says("Mine for this computer: run by /usr/bin/python3, with what is there already"));
    CHECK(installed.out == "Mine is installed: /usr/bin/python3\n");
    CHECK(listed()["state"] == "ready");
    CHECK(listed()["version"] == nullptr);
    const Ended checked = run({"engine", "check", "mine"});
    CAPTURE(checked.out);
    CHECK(checked.code == 0);
    CHECK(checked.out.find("both trained: 20 records of 2 ranks") != std::string::npos);
    CHECK(run({"engine", "remove", "mine"}).code == 0);
    CHECK(listed()["state"] == "installable");
}

TEST_CASE_FIXTURE(TableFixture, "a table that names its programs needs no installation")
{
    std::string table = shortestTable();
    table.replace(table.find("{python}"), 8, "/usr/bin/python3");
    describe(table);
    CHECK(listed()["state"] == "ready");
    CHECK(run({"engine", "install", "mine", "--yes"}).says("Mine needs no installation."));
    const Ended checked = run({"engine", "check", "mine"});
    CAPTURE(checked.out);
    CAPTURE(checked.err);
    CHECK(checked.code == 0);
    CHECK(checked.out.find("both trained: 20 records of 2 ranks") != std::string::npos);
}

TEST_CASE_FIXTURE(TableFixture, "a user's own script runs in its folder, and states the version that it has loaded")
{
    fs::create_directories(folder / "modules");
    fs::create_directories(folder / "own");
    environment["PYTHONPATH"] = (folder / "modules").string();
    write("modules/mynet.py", "__version__ = '1.0'\n");
    write("own/steps.txt", "8");
    const std::string script = write("own/train.py", kOwnScript);
    describe(tableOfScripts(folder / "modules"));
    REQUIRE(run({"engine", "install", "mine", "--python", "/usr/bin/python3", "--yes"}).code == 0);
    CHECK(listed()["version"] == "1.0");
    const auto caption = [&](int repeats) {
        const Ended ended =
            run({"run", write("own.toml", fmt::format("format = 1\nname = \"own\"\n[factors]\nranks = [1]\n[fixed]\n"
                                                      "engine = \"mine\"\nmodel = \"lenet\"\nbatch_per_rank = 8\n"
                                                      "mine.script = \"{}\"\n[runs]\nrepeats = {}\niterations = 8\n"
                                                      "warmup = 1\n",
                                                      script, repeats))});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return run({"compare", "--experiment", "own", "--as", "caption"}).out;
    };
    const std::string before = caption(1);
    CAPTURE(before);
    CHECK(before.find("Mine 1.0 (script train.py)") != std::string::npos);
    CHECK(readFile(folder / "own/weights").value_or("") == "trained");
    write("modules/mynet.py", "__version__ = '2.0.1'\n"); // behind the back of what was noted when it was installed
    const std::string after = caption(2);
    CAPTURE(after);
    CHECK(after.find("System is not the same in all runs: Mine 1.0 (script train.py) and Mine 2.0.1 (script "
                     "train.py).") != std::string::npos);
}

TEST_CASE_FIXTURE(TableFixture, "a system that is read by its own lines is checked by as many as it prints")
{
    write("lines.py", "import sys, time\n"
                      "every = int(sys.argv[2])\n"
                      "for i in range(1, int(sys.argv[1]) + 1):\n"
                      "    time.sleep(0.02)\n"
                      "    if i % every == 0:\n"
                      "        print('it %d speed 400.0 img/s loss 0.5' % i)\n");
    const auto checkedWith = [&](const std::string& every) {
        describe("format = 1\nname = \"mine\"\ntitle = \"Mine\"\n[launch]\ncommand = [\"/usr/bin/python3\", \"" +
                 (folder / "lines.py").string() + "\", \"{iterations}\", \"" + every +
                 "\"]\n[[lines]]\npattern = \"it {iteration} speed {items_per_second} img/s loss {loss}\"\n");
        return run({"engine", "check", "mine"});
    };
    const Ended each = checkedWith("1");
    CAPTURE(each.out);
    CHECK(each.code == 0);
    CHECK(each.out.find("9 records, first loss 0.5000") != std::string::npos); // the first ends no interval
    const Ended fifth = checkedWith("5");
    CAPTURE(fifth.out);
    CHECK(fifth.code == 0);
    const Ended tenth = checkedWith("10");
    CAPTURE(tenth.out);
    CHECK(tenth.code != 0);
    CHECK(tenth.out.find("The check trains 10 iterations: a system that is read by its own lines has to print one at "
                         "least every 5.") != std::string::npos);
}

TEST_CASE_FIXTURE(TableFixture, "a system that a campaign needs whose turn has not come is not removed")
{
    std::string table = shortestTable();
    const std::string_view last = "\"--iterations\"";
    REQUIRE(table.find(last) != table.npos);
    table.insert(table.find(last), "\"--weights\", \"{environment}/weights\", ");
    describe(table);
    REQUIRE(run({"engine", "install", "mine", "--python", "/usr/bin/python3", "--yes"}).code == 0);
    const auto first = start({"run", experiment("first", "ranks = [1]", 1, 1'000'000)});
    for (int tries = 0; tries < 600 && count("first", "running") == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(count("first", "running") == 1);
    first->signal(SIGINT);
    REQUIRE(first->wait().code == 130);
    const auto second =
        start({"run", write("second.toml", "format = 1\nname = \"second\"\n[factors]\nranks = [1]\n"
                                           "[fixed]\nengine = \"mine\"\nmodel = \"lenet\"\nbatch_per_rank = 8\n"
                                           "[runs]\nrepeats = 1\niterations = 8\nwarmup = 1\n")});
    for (int tries = 0; tries < 600 && count("second", "queued") == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(count("second", "queued") == 1);
    second->signal(SIGINT);
    REQUIRE(second->wait().code == 130);

    const Ended refused = run({"engine", "remove", "mine"});
    CAPTURE(refused.err);
    CHECK(refused.code == 75);
    CHECK(refused.says("of “second”, which is not over, needs it."));
    CHECK(listed()["state"] == "ready");
    CHECK(run({"engine", "remove", "mine", "--store", (folder / "none.db").string()}).code == 2);
}

TEST_CASE_FIXTURE(TableFixture, "a system that the site has already is taken from its PATH, with its version")
{
    fs::create_directories(folder / "config/ringside/adapters");
    write("config/ringside/adapters/found.toml", kFoundTable);
    const Ended missing = run({"engine", "install", "found", "--yes"});
    CHECK(missing.code != 0);
    CHECK(missing.says("There is no foundprogram in PATH here."));
    CHECK(missing.says("--module"));
    CHECK_FALSE(fs::exists(folder / "data/ringside/engines/found"));
    CHECK(missing.says("Only a note of where it is and of its version is written"));
    CHECK_FALSE(missing.says("It is put below"));
    fs::create_directories(folder / "programs");
    const std::string found = write("programs/foundprogram", "#!/bin/sh\necho foundprogram version 0.17.3\n");
    fs::permissions(found, fs::perms::owner_all);
    environment["PATH"] += ":" + (folder / "programs").string();
    CHECK(run({"engine", "install", "found", "--yes"}).code == 0);
    CHECK(fs::exists(folder / "data/ringside/engines/found"));
    CHECK(listed("found")["version"] == "0.17.3");
}
