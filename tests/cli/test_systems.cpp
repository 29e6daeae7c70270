// SPDX-License-Identifier: MIT
// A system of a user's own table beside Ringside's engine, from the file to the comparison.
#include "core/base/findprogram.h"
#include "core/protocol/installedengine.h"
#include "tests/cli/clifixture.h"

#include <csignal>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr const char* kTable = R"(format = 1
name  = "tiny"
title = "Tiny"
batch = "batch_per_rank is BATCH."
versions = ">=2"
settings = ["device", "image_size"]
[options.pause]
type = "real"
label = "Pause"
unit = "s"
minimum = 0
maximum = 10
default = 0.002
about = "How long it computes."
source = "tests/runner/tinysystem.py"
[[roles]]
name = "server"
count = 1
least_ranks = 1
[[designs]]
plan = "mxnet"
[[exits]]
code = 4
cause = "lost_rank"
sentence = "lost its server"
[launch]
command = ["{python}", "SCRIPT", "{drivers}", "{iterations}", "{tiny.pause}"]
[launch.environment]
BATCH = "{batch_per_rank}"
CLUSTER = "{cluster}"
ROLE = "{role}"
ROLE_INDEX = "{role_index}"
)";

/// Command line of a user with a table for "tiny"; `version` is installed on this computer.
struct TinyFixture : CliFixture
{
    explicit TinyFixture(const std::string& version = "2.5")
    {
        std::string table = kTable;
        table.replace(table.find("SCRIPT"), 6, (sourceFolder() / "tests/runner/tinysystem.py").string());
        const fs::path tables = folder / "config/ringside/adapters", engine = folder / "data/ringside/engines/tiny";
        fs::create_directories(tables);
        fs::create_directories(engine);
        REQUIRE(writeFileAtomically(tables / "tiny.toml", table));
        if (!version.empty())
            REQUIRE(writeInstalledEngine(engine, {version, findProgram("python3")}));
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
    }
};

} // namespace

TEST_CASE_FIXTURE(TinyFixture, "a system runs beside Ringside's engine, and is compared with its own design")
{
    const std::string file =
        experiment("both", "engine = [\"ringside\", \"tiny\"]\nplan = [\"buckets\", \"mxnet\"]\nranks = [1, 2]", 1, 8,
                   "[base]\nengine = \"ringside\"\n");
    const Ended checked = run({"check", file});
    CHECK((checked.out + checked.err).find("Batch: Tiny: batch_per_rank is BATCH.") != std::string::npos);
    const Ended ended = run({"run", file});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json json = run({"compare", "--experiment", "both", "--show", "speedup", "--json"}).json();
    int tiny = 0;
    for (const Json& group : json["groups"]) {
        if (group["factors"]["engine"] != "tiny")
            continue;
        ++tiny;
        CAPTURE(group.dump(1));
        CHECK(group["n"] == 1);
        CHECK(group["value"].get<double>() > 0);
        CHECK(group["facts"]["system"] == Json({"Tiny 2.5"}));
        CHECK_FALSE(group["factors"].contains("layout"));
        CHECK(group["differs"] == Json::object());
    }
    CHECK(tiny == 2);
    const Ended caption = run({"compare", "--experiment", "both", "--as", "caption"});
    CHECK(caption.out.find("Tiny 2.5") != std::string::npos);
    CHECK(caption.out.find("arameter servers (") != std::string::npos);
    const Ended phases = run({"compare", "--experiment", "both", "--show", "phases", "--json"});
    CHECK(phases.code == 0);
    const Json stacks = phases.json()["groups"];
    int onTwoRanks = 0;
    for (const Json& group : stacks)
        if (group["factors"]["engine"] == "tiny" && group["factors"]["ranks"] == 2) {
            ++onTwoRanks;
            CHECK(group["against_design"]["design"]["plan"] == "mxnet");
            CHECK(group["against_design"]["iteration"]["value"].is_number());
            CHECK(group["against_design"]["iteration"]["low"].is_null()); // of one run
        }
    REQUIRE(onTwoRanks == 1);
    const Json shown = run({"show", "4"}).json();
    CHECK(shown["attempts"][0]["facts"]["system"].is_string());
    CHECK(shown["plan"]["name"] == "none");
    CHECK(run({"show", "5"}).json()["plan"]["design"] == "mxnet");
}

TEST_CASE_FIXTURE(TinyFixture, "reports of a role that leads in the ranks' place are brought home, stored and compared")
{
    const fs::path file = folder / "config/ringside/adapters/tiny.toml";
    std::string table = readFile(file).value();
    const auto put = [&](const std::string& before, const std::string& text) {
        REQUIRE(table.find(before) != std::string::npos);
        table.insert(table.find(before), text);
    };
    put("[[roles]]", "[[roles]]\nname = \"chief\"\nduty = \"leads\"\n");
    put("least_ranks = 1", "duty = \"serves\"\n");
    put("command = [", "rank_name = \"worker\"\n");
    REQUIRE(writeFileAtomically(file, table));
    const Ended ended = run({"run", experiment("led", "engine = [\"tiny\"]\nranks = [2]", 1, 12, "")});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json json = run({"compare", "--experiment", "led", "--show", "phases", "--json"}).json();
    REQUIRE(json["groups"].size() == 1);
    const Json& group = json["groups"][0];
    CAPTURE(group.dump(1));
    CHECK(group["n"] == 1);
    CHECK(group["phases"]["comm_exposed"].get<double>() > 0);
    CHECK(group["used"]["processes"] == 4);
    const Json runs = run({"runs", "--experiment", "led", "--json"}).json();
    CHECK(runs[0]["samples"] == 12); // of the chief, about both ranks
    CHECK(runs[0]["flags"].dump().find("incomplete") == std::string::npos);
}

TEST_CASE_FIXTURE(TinyFixture, "one process that is all ranks of its node is whole, and counts for them")
{
    write("whole.py", "import os, sys, time\n"
                      "own, ranks, iterations = map(int, sys.argv[1:])\n"
                      "print('ringside 1 begin rank=0 ranks=%d scope=rank batch=%d pid=%d {}' % "
                      "(ranks, 4 * own, os.getpid()), flush=True)\n"
                      "start = time.monotonic_ns()\n"
                      "for i in range(iterations):\n"
                      "    print('ringside 1 iteration=%d start_ns=%d length_ns=10000000 items=%d' % "
                      "(i, start + 10000000 * i, 4 * own), flush=True)\n");
    std::string table = kTable;
    table.erase(table.find("[[roles]]"), table.find("[[designs]]") - table.find("[[roles]]"));
    table.erase(table.find("[launch]"));
    table += "[launch]\nprocess = \"node\"\ncommand = [\"{python}\", \"" + (folder / "whole.py").string() +
             "\", \"{own_ranks}\", \"{ranks}\", \"{iterations}\"]\n";
    REQUIRE(writeFileAtomically(folder / "config/ringside/adapters/tiny.toml", table));
    const Ended ended = run({"run", experiment("whole", "engine = [\"tiny\"]\nranks = [2]", 1, 12, "")});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json runs = run({"runs", "--experiment", "whole", "--json"}).json();
    CHECK(runs[0]["samples"] == 12); // of one process, about both ranks
    CHECK(runs[0]["flags"].dump().find("incomplete") == std::string::npos);
    const Json json = run({"compare", "--experiment", "whole", "--show", "throughput", "--json"}).json();
    CHECK(json["groups"][0]["value"].get<double>() == doctest::Approx(2 * 4 * 100)); // 10 ms an iteration
    CHECK(json["groups"][0]["used"]["processes"] == 1);
}

TEST_CASE_FIXTURE(TinyFixture,
                  "how busy a system keeps its cores is told of what its script started, in numbers and in the table")
{
    write("waiting.py",
          "import os, subprocess, sys, time\n"
          "busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'])\n"
          "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=4 pid=%d {}' % os.getpid(), flush=True)\n"
          "for i in range(int(sys.argv[1])):\n"
          "    start = time.monotonic_ns()\n"
          "    time.sleep(0.05)\n"
          "    print('ringside 1 iteration=%d start_ns=%d length_ns=%d items=4' % "
          "(i, start, time.monotonic_ns() - start), flush=True)\n"
          "busy.kill()\n");
    std::string table = kTable;
    table.erase(table.find("[[roles]]"), table.find("[[designs]]") - table.find("[[roles]]"));
    table.erase(table.find("[launch]"));
    table += "[launch]\ncommand = [\"{python}\", \"" + (folder / "waiting.py").string() + "\", \"{iterations}\"]\n";
    REQUIRE(writeFileAtomically(folder / "config/ringside/adapters/tiny.toml", table));
    const Ended ended = run({"run", experiment("waiting", "engine = [\"tiny\"]\nranks = [1]", 1, 60, "")});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json group = run({"compare", "--experiment", "waiting", "--show", "phases", "--json"}).json()["groups"][0];
    CAPTURE(group.dump(1));
    CHECK(group["utilisation"]["cpu"]["value"].get<double>() > 0.1); // of a core that others may use as well
    for (const char* show : {"throughput", "phases"})
        CHECK(run({"compare", "--experiment", "waiting", "--show", show}).out.find("CPU utilisation") !=
              std::string::npos);
}

TEST_CASE_FIXTURE(TinyFixture, "a rank of a system that is killed is named, and what was done is kept")
{
    const std::string file = experiment("killed", "engine = [\"tiny\"]\nranks = [2]", 1, 100'000, "");
    const auto running = start({"run", file});
    pid_t rank = -1;
    for (int tries = 0; tries < 300 && rank < 0; ++tries) {
        usleep(100'000);
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const int pid = std::atoi(entry.path().filename().c_str());
            const std::string words = pid > 0 ? readFile(entry.path() / "cmdline").value_or("") : "";
            const std::string variables = pid > 0 ? readFile(entry.path() / "environ").value_or("") : "";
            if (words.find("tinysystem.py") != std::string::npos &&
                words.find(folder.path().string()) != std::string::npos &&
                variables.find(std::string("\0ROLE=rank\0", 11)) != std::string::npos &&
                variables.find(std::string("\0ROLE_INDEX=1\0", 14)) != std::string::npos &&
                count("killed", "running") == 1)
                rank = pid;
        }
    }
    REQUIRE(rank > 0);
    ::kill(rank, SIGKILL);
    const Ended ended = running->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("Rank 1"));
    CHECK(ended.says("signal 9"));
}

TEST_CASE("a system that is not there, or of another version, is reported before anything starts")
{
    TinyFixture absent("");
    const Ended none = absent.run({"check", absent.experiment("none", "engine = [\"tiny\"]", 1, 8, "")});
    CHECK(none.code == 2);
    CHECK(none.says("this computer has no Tiny"));
    TinyFixture older("1.9");
    const Ended early = older.run({"check", older.experiment("early", "engine = [\"tiny\"]", 1, 8, "")});
    CHECK(early.code == 0);
    CHECK(early.says("Tiny 1.9 is on this computer, and its table is for >=2"));
    REQUIRE(writeFileAtomically(older.folder / "config/ringside/adapters/tiny.toml",
                                "format = 1\nname = \"tiny\"\nx = 1\n"));
    const Ended broken = older.run({"check", (older.folder / "early.toml").string()});
    CHECK(broken.code == 2);
    CHECK(broken.says("tiny.toml, line "));
    const std::string options = older.experiment("options", "tiny.pause = [0.1]", 1, 8, "");
    CHECK(older.run({"check", options}).says("The table of “tiny” cannot be read: "));
    fs::remove(older.folder / "config/ringside/adapters/tiny.toml");
    CHECK(older.run({"check", options}).says("put tiny.toml into the folder adapters"));
}
