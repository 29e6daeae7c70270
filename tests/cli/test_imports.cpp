// SPDX-License-Identifier: MIT
// import: logs of others, from the terminal to a comparison.
#include "tests/cli/clifixture.h"

using namespace ringside;
using namespace ringside::test;

namespace {

std::string logOf(const std::string& name)
{
    return (sourceFolder() / "tests" / "logs" / "formats" / (name + ".log")).string();
}

} // namespace

TEST_CASE("a dry run says what was understood, and stores nothing")
{
    const CliFixture cli;
    const Ended ended = cli.run({"import", logOf("mxnet.module"), logOf("caffe.bvlc"), "--dry-run", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json json = ended.json();
    REQUIRE(json["files"].size() == 2);
    const Json& mxnet = json["files"][1]; // in the order of their names
    CHECK(mxnet["format"] == "mxnet");
    REQUIRE(mxnet["runs"].size() == 1);
    CHECK(mxnet["runs"][0]["ranks"] == 2);
    CHECK(mxnet["runs"][0]["records"] == 12);
    CHECK(mxnet["runs"][0]["missing"] == Json({"ranks"})); // their lines have no tags
    CHECK(mxnet["runs"][0]["scope"] == "rank");
    CHECK(mxnet["runs"][0]["first_loss"].get<double>() == doctest::Approx(2.3));
    CHECK(mxnet["findings"][0]["severity"] == "info");
    CHECK(mxnet["findings"][0]["line"] == 4);
    CHECK(json["files"][0]["runs"][0]["missing"] == Json({"batch_global", "ranks"}));
    CHECK(ended.says("--set batch_global="));
    const std::string table = cli.run({"import", logOf("mxnet.module"), "--set", "ranks=2", "--dry-run"}).out;
    CHECK(table.find("mxnet.module.log  MXNet >=1.3, <2  ") != std::string::npos);
    CHECK(table.find("of all 2 ranks") != std::string::npos);
    CHECK(cli.run({"runs"}).code == 2); // there is no store
}

TEST_CASE("a log's own summary stands below the table, and in JSON")
{
    const CliFixture cli;
    CHECK(cli.run({"import", logOf("horovod.mpirun"), "--dry-run"})
              .out.find("horovod.mpirun.log:12: The log's own summary: 436.8 items/s of all ranks\n") !=
          std::string::npos);
    const Json json = cli.run({"import", logOf("horovod.mpirun"), "--dry-run", "--json"}).json();
    const Json& summaries = json["files"][0]["runs"][0]["summaries"];
    REQUIRE(summaries.size() == 2);
    CHECK(summaries[1]["scope"] == "all");
    CHECK(summaries[1]["items_per_second"].get<double>() == doctest::Approx(436.8));
    CHECK(summaries[1]["iterations_per_second"].is_null());
    CHECK(summaries[1]["line"] == 12);
}

TEST_CASE("imported runs are listed, shown, compared and drawn")
{
    const CliFixture cli;
    const Ended asked = cli.run({"import", logOf("horovod.synthetic")});
    CHECK(asked.code == 2);
    CHECK(asked.says("--set equal_ranks=yes"));
    const Ended imported =
        cli.run({"import", logOf("horovod.synthetic"), "--set", "equal_ranks=yes", "--set", "model=resnet50"});
    CAPTURE(imported.err);
    REQUIRE(imported.code == 0);
    CHECK(imported.out.find("Imported into “horovod.synthetic”: run 1, run 2") != std::string::npos);
    const Json runs = cli.run({"runs", "--json"}).json();
    REQUIRE(runs.size() == 2);
    CHECK(runs[0]["kind"] == "imported");
    CHECK(runs[0]["state"] == "done");
    CHECK(runs[0]["images_per_second"].get<double>() == doctest::Approx(3'200).epsilon(0.01));
    CHECK(occurrences(cli.run({"runs"}).out, " imported") == 2);
    const Json shown = cli.run({"show", "1"}).json();
    CHECK(shown["imported_from"][0]["path"] == logOf("horovod.synthetic"));
    CHECK(shown["imported_from"][0]["sha256"].get<std::string>().size() == 64);
    const Json compared =
        cli.run({"compare", "--experiment", "horovod.synthetic", "--show", "throughput", "--json"}).json();
    REQUIRE(compared["groups"].size() == 2);
    CHECK(compared["groups"][0]["flags"]["imported"] == 1);
    const std::string figure = (cli.folder / "figure.svg").string();
    REQUIRE(cli.run({"figure", "--experiment", "horovod.synthetic", "--show", "throughput", "--to", figure}).code == 0);
    CHECK(readFile(figure)->find("imported") != std::string::npos);
    const Ended again = cli.run({"import", logOf("horovod.synthetic"), "--set", "equal_ranks=yes"});
    CHECK(again.code == 2);
    CHECK(again.says("has been imported before: it is run 1 of “horovod.synthetic”"));
    const Ended looked = cli.run({"import", logOf("horovod.synthetic"), "--set", "equal_ranks=yes", "--dry-run"});
    CHECK(looked.code == 0);
    CHECK(looked.says("has been imported before: it is run 1 of “horovod.synthetic”"));
}

TEST_CASE("runs of several engines are listed with theirs, though their models and ranks distinguish them")
{
    const CliFixture cli;
    REQUIRE(cli.run({"import", logOf("horovod.synthetic"), "--set", "equal_ranks=yes", "--set", "model=resnet50",
                     "--experiment", "k"})
                .code == 0);
    CHECK(cli.run({"runs"}).out.find("Horovod") == std::string::npos); // there is no other
    REQUIRE(cli.run({"import", logOf("mxnet.prterun"), "--set", "model=alexnet", "--experiment", "k"}).code == 0);
    const std::string runs = cli.run({"runs"}).out;
    CHECK(occurrences(runs, " · Horovod ") == 2);
    CHECK(occurrences(runs, " · MXNet ") == 1);
}

TEST_CASE("a dry run refuses a name that no experiment may have, with or without a store")
{
    const CliFixture cli;
    const auto dryRun = [&](const std::string& name) {
        return cli.run({"import", logOf("mxnet.module"), "--set", "ranks=2", "--experiment", name, "--dry-run"});
    };
    CHECK(dryRun("a/b").code == 2);
    CHECK(dryRun("fine").code == 0);
    CHECK(cli.run({"import", logOf("mxnet.module"), "--set", "ranks=2", "--experiment", "fine"}).code == 0);
    CHECK(dryRun("a/b").code == 2);
    CHECK(dryRun("a/b").says("a/b"));
}

TEST_CASE("a table of links is asked about, imported as a calibration, and listed as one")
{
    const CliFixture cli;
    const std::string log = (sourceFolder() / "tests" / "logs" / "links" / "osu.full.log").string();
    const Ended asked = cli.run({"import", log});
    CHECK(asked.code == 2);
    CHECK(asked.says("--set ranks="));
    CHECK(asked.says("--set nodes="));
    const std::vector<std::string> told = {"import", log,       "--set", "ranks=8",
                                           "--set",  "nodes=2", "--set", "site=alder"};
    std::vector<std::string> dry = told;
    dry.insert(dry.end(), {"--dry-run", "--json"});
    const Json json = cli.run(dry).json();
    REQUIRE(json["files"][0]["links"].size() == 1);
    const Json& link = json["files"][0]["links"][0];
    CHECK(link["operation"] == "all_reduce");
    CHECK(link["refused"] == 1);
    CHECK(link["calibration"]["ranks"] == 8);
    CHECK(json["files"][0]["findings"][0]["line"] == 9);
    const Ended imported = cli.run(told);
    CAPTURE(imported.err);
    REQUIRE(imported.code == 0);
    CHECK(imported.out.find("all-reduce") != std::string::npos);
    CHECK(imported.out.find("9 of 10") != std::string::npos);
    const std::string known = cli.run({"calibrate", "alder", "--show"}).out;
    CHECK(known.find("imported on") != std::string::npos);
    CHECK(known.find("OSU Micro-Benchmarks") != std::string::npos);
    CHECK(cli.run({"calibrate", "alder", "--show", "--json"}).json()[0]["imported_from"] == "OSU Micro-Benchmarks");
}

TEST_CASE("what cannot be imported is said")
{
    const CliFixture cli;
    const Ended unknown = cli.run({"import", cli.write("no.log", "nothing\n"), "--json"});
    CHECK(unknown.code == 65);
    CHECK(unknown.says("No line of it has a form that Ringside knows."));
    CHECK(unknown.json()["files"][0]["format"] == nullptr);
    const Ended packed = cli.run({"import", cli.write("packed.log", "\x1f\x8b\x08\n")});
    CHECK(packed.code == 65);
    CHECK(packed.says("Unpack it with gunzip"));
    const Ended device = cli.run({"import", "/dev/null"});
    CHECK(device.code == 2);
    CHECK(device.says("Write them to a file"));
    CHECK(cli.run({"import", cli.write("empty.log", "")}).says("empty.log: It is empty."));
    CHECK(cli.run({"import", "none.log"}).code == 2);
    const Ended misplaced = cli.run({"import", logOf("mxnet.module"), "--set", "batch_global=64", "ranks=2"});
    CHECK(misplaced.code == 2);
    CHECK(misplaced.says("There is no file ranks=2. Write --set before it."));
    CHECK(cli.run({"import"}).code == 2);
    CHECK(cli.run({"import", logOf("mxnet.module"), "--set", "batch=4"}).code == 2);
    const std::string hostile = cli.write("\x1b[31m\xff.log", readFile(logOf("mxnet.module")).value() + "\x1b[2J\n");
    for (const Arguments& form : {Arguments{}, Arguments{"--json"}}) { // a terminal gets no control character of it
        Arguments arguments{"import", hostile, "--dry-run"};
        arguments.insert(arguments.end(), form.begin(), form.end());
        const Ended read = cli.run(arguments);
        CHECK(read.code == 0);
        CHECK((read.out + read.err).find('\x1b') == std::string::npos);
    }
    const Ended unwritable = cli.run({"import", logOf("mxnet.prterun"), "--store", "/proc/none/lab.db"});
    CHECK(unwritable.code == 73);
}

TEST_CASE("what is not imported of a folder is named, and the rest is stored")
{
    const CliFixture cli;
    fs::create_directories(cli.folder / "logs");
    const auto copy = [&](const char* name, const std::string& log) {
        fs::copy_file(logOf(log), cli.folder / "logs" / name);
    };
    const std::string logs = (cli.folder / "logs").string();
    const auto import = [&](const std::vector<std::string>& more) {
        Arguments arguments{"import", logs, "--set", "equal_ranks=yes"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cli.run(arguments);
    };
    const std::string refused = "Epoch[0] Batch [10]\tSpeed: 1e308 samples/sec\n"; // no machine has that rate
    cli.write("logs/a.log", refused);
    for (const bool dry : {true, false}) {
        const Ended nothing = import(dry ? Arguments{"--dry-run"} : Arguments{});
        CHECK(nothing.code == 65);
        CHECK(nothing.says("logs/a.log is left out. It has lines of MXNet, but no rate that can be used."));
    }
    copy("b.log", "horovod.synthetic");
    CHECK(import({"--experiment", "k"}).code == 0);
    copy("c.log", "horovod.synthetic");
    copy("d.log", "mxnet.prterun");
    copy("e.log", "mxnet.prterun");
    for (const bool dry : {true, false}) {
        const Ended rest = import(dry ? Arguments{"--dry-run"} : Arguments{"--json"});
        CAPTURE(rest.err);
        CHECK(rest.code == 0);
        for (const char* text : {"logs/a.log is left out.", "logs/b.log has been imported before: it is run 1 of “k”.",
                                 "logs/c.log has been imported before: it is run 1 of “k”.",
                                 "logs/e.log has the same content as another of these files."})
            CHECK_MESSAGE(rest.says(text), text);
        if (!dry)
            CHECK(rest.json()["left_out"].size() == 4);
    }
}

TEST_CASE("logs of a folder that cannot be read, and tables that are wrong, are named")
{
    CliFixture cli;
    cli.environment["XDG_CONFIG_HOME"] = (cli.folder / "config").string();
    fs::create_directories(cli.folder / "config/ringside/adapters");
    cli.write("config/ringside/adapters/mxnet.toml", "format = 1\nname = 7\n");
    fs::create_directories(cli.folder / "logs");
    fs::copy_file(logOf("caffe.bvlc"), cli.folder / "logs/good.log");
    fs::create_symlink("/proc/self/mem", cli.folder / "logs/bad.log"); // a file that cannot be read at its begin
    const std::string logs = (cli.folder / "logs").string();
    const Ended shown = cli.run({"import", logs, "--dry-run"});
    CHECK(shown.code == 0);
    for (const char* text : {"logs/bad.log: Input/output error. It was skipped.", "adapters/mxnet.toml, line 1",
                             "No log of this system is recognised."})
        CHECK_MESSAGE(shown.out.find(text) != std::string::npos, text, shown.out);
    const Json json = cli.run({"import", logs, "--dry-run", "--json"}).json();
    CHECK(json["files"].size() == 1);
    CHECK(json["passed_over"] == 0);
    CHECK(json["unreadable"].size() == 1);
    CHECK(json["refused_tables"].size() == 1);
}

TEST_CASE("a line of a log is explained")
{
    const CliFixture cli;
    const std::string line = "INFO:root:Epoch[0] Batch [20]\tSpeed: 539.78 samples/sec";
    const std::string out = cli.run({"import", "--line", line}).out;
    CHECK(out.find("MXNet (mxnet): an interval of one rank\n") != std::string::npos);
    CHECK(out.find("539.78") != std::string::npos);
    const Json json = cli.run({"import", "--line", line, "--json"}).json();
    CHECK(json["readings"][0]["fields"]["items_per_second"] == 539.78);
}
