// SPDX-License-Identifier: MIT
// Output and exit status of each command, on runs that go well.
#include "core/protocol/layout.h"
#include "core/protocol/phase.h"
#include "core/spec/plans.h"
#include "core/store/database.h"
#include "tests/cli/clifixture.h"

#include <SQLiteCpp/Database.h>
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <utility>

using namespace ringside;
using namespace ringside::test;

namespace {

void checkRun(const Json& run)
{
    CHECK(run["id"].get<std::string>().size() == 36);
    CHECK(run["number"].is_number_integer());
    CHECK(run["experiment"] == "pair");
    CHECK(run["site"] == "local");
    CHECK(run["factors"]["site"] == "local");
    CHECK(run["factors"]["ranks"].is_number_integer());
    CHECK(run["factors"]["model"] == "lenet");
    CHECK(run["attempt"] == 1);
    CHECK(run["kind"] == "run");
    CHECK(run["state"] == "done");
    CHECK(run["since"].get<std::string>().ends_with("Z"));
    CHECK(run["reason"].is_null());
    CHECK(run["reason_code"].is_null());
    CHECK(run["flags"].is_array());
    CHECK(run["samples"] == 8 * run["factors"]["ranks"].get<int>());
    CHECK(run["items"] == "images");
    CHECK(run["images_per_second"].get<double>() > 0);
}

/// The states of all runs stand below each other.
bool hasEvenColumns(const std::string& table)
{
    std::set<std::size_t> places;
    std::istringstream lines(table);
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) {
        const std::string before = line.substr(0, line.find(" done"));
        places.insert(static_cast<std::size_t>(std::count_if(
            before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; })));
    }
    return places.size() == 1;
}

} // namespace

TEST_CASE("run does what is missing, and what follows reads it")
{
    const CliFixture cli;
    const Ended first = cli.run({"run", cli.pair(2)});
    CAPTURE(first.err);
    REQUIRE(first.code == 0);
    CHECK(occurrences(first.err, " images/s") == 4);
    CHECK(first.out.find("Speed-up") != std::string::npos);

    SUBCASE("runs")
    {
        const Json runs = cli.run({"runs", "--json"}).json();
        REQUIRE(runs.size() == 4);
        for (const Json& run : runs)
            checkRun(run);
        CHECK(cli.run({"runs", "--experiment", "other", "--json"}).json().empty());
        const std::string table = cli.run({"runs"}).out;
        CAPTURE(table);
        CHECK(table.find("Run  Experiment  Configuration") == 0);
        CHECK(table.find("\n  1  pair        LeNet · ") != std::string::npos);
        CHECK(occurrences(table, "run ") == 0);
        CHECK(hasEvenColumns(table));
    }
    SUBCASE("repeated, only what is missing is done")
    {
        const Ended again = cli.run({"run", cli.pair(2), "--json"});
        CHECK(again.code == 0);
        CHECK(again.json().size() == 4);
        CHECK(occurrences(again.err, " images/s") == 0);
        const Ended more = cli.run({"run", cli.pair(3), "--json"});
        CHECK(more.code == 0);
        CHECK(occurrences(more.err, " images/s") == 2);
        REQUIRE(more.json().size() == 6);
        for (const Json& run : more.json())
            checkRun(run);
    }
    SUBCASE("show names the logs of each attempt")
    {
        const Json run = cli.run({"show", "1"}).json();
        REQUIRE(run["attempts"].size() == 1);
        const Json& attempt = run["attempts"][0];
        CHECK(attempt["ranks"].size() == run["factors"]["ranks"].get<std::size_t>());
        CHECK(attempt["facts"].is_object());
        CHECK(run["flops_per_image"].is_null()); // not counted
        CHECK(run["gflop_per_second"].is_null());
        CHECK(run["percent_of_gemm_rate"].is_null());
        CHECK(attempt["ranks"][0]["background_ms"] == Json({{"comm_total", 0.0}, {"read", 0.0}, {"decode", 0.0}}));
        REQUIRE_FALSE(attempt["logs"].empty());
        for (const auto& log : attempt["logs"])
            CHECK(fs::exists(log.get<std::string>()));
        CHECK(cli.run({"show", run["id"].get<std::string>()}).json()["number"] == 1);
        for (const char* name : {"1x", "99", "", "-1"})
            CHECK(cli.run({"show", "--", name}).code == 2);
    }
    SUBCASE("show says which phases were not reported")
    {
        const auto phases = [&] { return cli.run({"show", "1"}).json()["attempts"][0]["ranks"][0]["phases_ms"]; };
        const Json all = phases();
        CHECK_FALSE(all.contains("not_told"));
        {
            auto db = store::Database::openForWriting(cli.folder / "data/ringside/ringside.db");
            REQUIRE(db);
            db->handle().exec(fmt::format("UPDATE summary SET told = {}", PhaseSet{Phase::forward}.bits()));
        }
        const Json some = phases();
        CHECK(some["forward"] == all["forward"]);
        for (const char* name : {"input_wait", "update", "other"})
            CHECK(some[name].is_null());
        CHECK(some["not_told"].is_number());
    }
    SUBCASE("compare")
    {
        for (const auto& [show, unit] : {std::pair("throughput", "images/s"), std::pair("speedup", "1"),
                                         std::pair("efficiency", "1"), std::pair("phases", "ms")}) {
            const Json json = cli.run({"compare", "--experiment", "pair", "--show", show, "--json"}).json();
            CAPTURE(json.dump(1));
            CHECK(json["format"] == 1);
            CHECK(json["show"] == show);
            CHECK(json["unit"] == unit);
            CHECK(json["base"]["where"].is_object());
            REQUIRE(json["base"]["cases"].size() == 1);
            CHECK(json["base"]["cases"][0]["factors"]["ranks"] == 1);
            CHECK(json["base"]["cases"][0]["n"] == 2);
            REQUIRE(json["groups"].size() == 2);
            for (const Json& group : json["groups"]) {
                CHECK(group["n"] == 2);
                CHECK(group["value"].get<double>() > 0);
                CHECK(group["low"].is_null());
                CHECK(group["high"].is_null());
                CHECK(group["failed"] == 0);
                CHECK(group["runs"].size() == 2);
            }
        }
        CHECK(cli.run({"compare", "--experiment", "nothing"}).code == 2);
        CHECK(cli.run({"compare", "--experiment", "pair", "--show", "speed"}).code == 2);
        CHECK(cli.run({"compare", "--experiment", "pair", "--show", "speedup", "--base", "ranks=7"}).code == 2);
        const auto table = [&](const std::string& show) {
            return cli.run({"compare", "--experiment", "pair", "--show", show}).out;
        };
        CHECK(table("throughput").find("95 % interval") != std::string::npos);
        CHECK(table("throughput").find("Speed-up") == std::string::npos);
        CHECK(table("speedup").find("Speed-up (ratio)") != std::string::npos);
        CHECK(table("efficiency").find("Efficiency (") != std::string::npos);
        CHECK(table("phases").find("Lowest – highest run") != std::string::npos);
        CHECK(table("throughput").find("Series") == std::string::npos); // there are none, and no column for them
        const Ended nonsense = cli.run({"compare", "--experiment", "pair", "--base", "nonsense"});
        CHECK(nonsense.code == 2);
        CHECK(nonsense.says("“pair” has ranks=1 and ranks=2."));
        const Json plans = cli.run({"compare", "--experiment", "pair", "--json"}).json()["groups"];
        CHECK(plans[1]["window"]["warmup"].get<double>() >= 0);
        CHECK(plans[1]["against_best"].is_null()); // nothing else has two ranks
    }
    SUBCASE("figure writes what its suffix says")
    {
        const auto figure = [&](const std::string& to) {
            return cli.run({"figure", "--experiment", "pair", "--to", to, "--json"});
        };
        for (const auto& [name, begin] :
             {std::pair("a.pdf", "%PDF-"), std::pair("a.svg", "<?xml"), std::pair("a.png", "\x89PNG\r")}) {
            const fs::path to = cli.folder / name;
            const Ended written = figure(to.string());
            CHECK(written.code == 0);
            CHECK(written.json()["path"] == to.string());
            CHECK_FALSE(written.json()["caption"].get<std::string>().empty());
            CHECK(written.json()["notes"].is_array());
            CHECK(beginning(to) == begin);
        }
        CHECK(figure((cli.folder / "a.csv").string()).code == 0);
        CHECK(readFile(cli.folder / "a.csv").value_or("").find("ranks") != std::string::npos);
        CHECK(figure((cli.folder / "a.doc").string()).code == 2);
        const Ended nowhere = figure("/nodir/a.pdf");
        CHECK(nowhere.code == 73);
        CHECK(nowhere.says("there is no folder /nodir"));
        const Ended refused = figure("/proc/a.pdf");
        CHECK(refused.code == 73);
        CHECK(refused.says("no file can be made in /proc"));
    }
    SUBCASE("collect and cancel count runs by state")
    {
        const Json states = cli.run({"collect", "--json"}).json();
        REQUIRE(states.size() == 1);
        CHECK(states[0]["experiment"] == "pair");
        CHECK(states[0]["runs"]["total"] == 4);
        CHECK(states[0]["runs"]["done"] == 4);
        CHECK(states[0]["runs"]["cancelled"] == 0);
        CHECK(cli.run({"cancel", "--experiment", "pair"}).says("nothing to end"));
    }
}

TEST_CASE("runs are told apart by whatever differs among them")
{
    const CliFixture cli;
    const Ended ended = cli.run(
        {"run", cli.experiment("settings", "precision = [\"fp32\", \"bf16\"]\nmomentum = [0.0, 0.9]", 1, 8, "")});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const std::string table = cli.run({"runs"}).out;
    for (const char* levels :
         {"fp32 · momentum 0 ", "fp32 · momentum 0.9 ", "bf16 · momentum 0 ", "bf16 · momentum 0.9 "}) {
        const std::string name = std::string("LeNet · none · 1 CPU rank · ") + levels;
        CHECK(occurrences(ended.err, name + "· repeat 1: ") == 1);
        CHECK(occurrences(table, name) == 1);
    }
}

TEST_CASE("a plan of one's own is said by its parts, as it was launched")
{
    const CliFixture cli;
    const auto ownPlan = [&](const std::string& cap) {
        return cli.experiment("own", "ranks = [2]\nplan = [\"mine\"]", 1, 8,
                              "[plans.mine]\ngrouping = { buckets = { first = \"64 KiB\", cap = \"" + cap +
                                  "\" } }\nschedule = \"overlapped\"\n");
    };
    REQUIRE(cli.run({"run", ownPlan("1 MiB")}).code == 0);
    REQUIRE(cli.run({"run", ownPlan("2 MiB")}).code == 0);
    const Json plan = cli.run({"show", "1"}).json()["plan"];
    CHECK(plan["name"] == "mine");
    CHECK(plan["parts"] == Json::parse(R"({"collective": "allreduce", "grouping": "buckets", "schedule": "overlapped",
        "compression": "none", "first_bucket_bytes": 65536, "bucket_cap_bytes": 1048576})"));
    CHECK(plan["composition"] == "Gradients are sent during the backward pass (buckets of 64 KiB, then 1 MiB); all "
                                 "ranks add them up in an all-reduce.");
    CHECK(plan["exact"] == true);
    CHECK(cli.run({"show", "2"}).json()["plan"]["parts"]["bucket_cap_bytes"] == 2097152);
    CHECK(cli.run({"compare", "--experiment", "own"})
              .out.find("Plan mine: buckets of 64 KiB, then 2 MiB, overlapped with backward.") != std::string::npos);
}

TEST_CASE("what is trained with sequences is counted in sequences")
{
    const CliFixture cli;
    const auto ofModels = [&](const std::string& name, const std::string& models) {
        return cli.write(name + ".toml", "format = 1\nname = \"" + name + "\"\n[factors]\nranks = [1, 2]\nmodel = [" +
                                             models + "]\n[fixed]\nbatch_per_rank = 4\n[runs]\nrepeats = 1\n" +
                                             "iterations = 8\nwarmup = 2\n[base]\nranks = 1\n");
    };
    const Ended texts = cli.run({"run", ofModels("texts", "\"gpt2\"")});
    CAPTURE(texts.err);
    REQUIRE(texts.code == 0);
    CHECK(occurrences(texts.err, " sequences/s") == 2);
    CHECK(occurrences(texts.err, " images/s") == 0);
    CHECK(cli.run({"runs"}).out.find("  sequences/s  ") != std::string::npos);
    CHECK(cli.run({"compare", "--experiment", "texts", "--show", "throughput", "--json"}).json()["unit"] ==
          "sequences/s");
    const Json run = cli.run({"show", "1"}).json();
    CHECK(run["items"] == "sequences");
    CHECK(run["images_per_second"].get<double>() > 0);

    const Ended both = cli.run({"run", ofModels("both", "\"lenet\", \"gpt2\"")});
    CAPTURE(both.err);
    REQUIRE(both.code == 0);
    CHECK(occurrences(both.err, " sequences/s") == 2);
    CHECK(occurrences(both.err, " images/s") == 2);
    CHECK(cli.run({"runs"}).out.find("  items/s  ") != std::string::npos);
    CHECK(cli.run({"compare", "--experiment", "both", "--show", "speedup"}).code == 0);
    for (const Arguments& command : {Arguments{"compare", "--experiment", "both", "--show", "throughput"},
                                     Arguments{"figure", "--experiment", "both", "--show", "throughput", "--to",
                                               (cli.folder / "both.pdf").string()}}) {
        const Ended refused = cli.run(command);
        CHECK(refused.code == 2);
        CHECK(
            refused.says("The runs of “both” count images and sequences: images/s and sequences/s are not compared."));
        CHECK(refused.says("Show speed-up, efficiency or phases"));
    }
    CHECK_FALSE(fs::exists(cli.folder / "both.pdf"));
}

TEST_CASE("plans are listed with what they do, their parts and their sources; no store is needed")
{
    const CliFixture cli;
    const Ended words = cli.run({"plans"});
    CHECK(words.code == 0);
    CHECK(words.out.find("horovod-old") != std::string::npos);
    CHECK(words.out.find("All gradients in one message, sent when the backward pass is over.") != std::string::npos);
    const Json all = cli.run({"plans", "--json"}).json();
    REQUIRE(all.size() == spec::builtInPlans().size());
    CHECK(all.front()["name"] == "one");
    CHECK(all.back()["name"] == "none");
    for (const Json& plan : all)
        for (const char* member : {"sentence", "parts", "composition", "exact", "differs", "sources"})
            CHECK(plan.contains(member));
    const Json horovod = cli.run({"plans", "horovod", "--json"}).json();
    REQUIRE(horovod.size() == 1);
    CHECK(horovod[0]["parts"] ==
          Json::parse(R"({"collective": "allreduce", "grouping": "fusion", "schedule": "overlapped",
        "compression": "none", "fusion_threshold_bytes": 134217728, "fusion_cycle_us": 1000})"));
    CHECK(horovod[0]["sources"][0]["where"] == "horovod/horovod: horovod/common/operations.cc:519-536");
    CHECK(horovod[0]["differs"].is_null());
    CHECK(cli.run({"plans", "mxnet", "--json"}).json()[0]["parts"]["asynchronous"] == false);
    CHECK(cli.run({"plans", "mxnet", "--json"}).json()[0]["parts"]["servers"] == "per_node");
    CHECK(cli.run({"plans", "mxnet"}).out.find("note: MXNet gives whole arrays a priority") != std::string::npos);
    CHECK(words.out.find("Messages travel in chunks, and the front layers overtake") != std::string::npos);
    const std::string only = cli.run({"plans", "--parts"}).out;
    CHECK(only.find("reduce_scatter_allgather") != std::string::npos);
    CHECK(only.find("horovod-old") == std::string::npos);
    CHECK(cli.run({"plans", "horovod", "--parts"}).code == 2);
    const Json parts = cli.run({"plans", "--parts", "--json"}).json();
    REQUIRE(parts.size() == 19);
    std::map<std::string, std::string> plan; // the last word of each part
    for (const Json& part : parts) {
        CHECK_FALSE(part["sentence"].get<std::string>().empty());
        plan[part["part"]] = part["written"];
        const std::string file = cli.write("part.toml", "format = 1\nname = \"part\"\n[factors]\nplan = [\"mine\"]\n"
                                                        "[fixed]\nmodel = \"lenet\"\nbatch_per_rank = 4\nranks = 2\n"
                                                        "[plans.mine]\n" +
                                                            part["part"].get<std::string>() + " = " +
                                                            part["written"].get<std::string>() + "\n");
        const Json checks = cli.run({"check", file, "--json"}).json()["checks"];
        for (const Json& check : checks) // it can be read, even where it does not go with the other parts
            CHECK_FALSE(check["field"].get<std::string>().starts_with("plans.mine."));
    }
    CHECK(plan["compression"] == "{ topk = { share = 0.05 } }");
    const Ended none = cli.run({"plans", "horovd"});
    CHECK(none.code == 2);
    CHECK(none.err.find("There is no built-in plan “horovd”. Did you mean “horovod”?") != std::string::npos);
}

TEST_CASE("check says what would run, in words or in JSON")
{
    const CliFixture cli;
    const std::string file = cli.pair(6);
    const Ended words = cli.run({"check", file});
    CHECK(words.code == 0);
    CHECK(words.out == "pair: 2 configurations, 12 runs\n");
    CHECK(cli.run({"check", cli.experiment("single", "ranks = [1]", 1, 8)}).out == "single: 1 configuration, 1 run\n");
    const Json json = cli.run({"check", file, "--json"}).json();
    CHECK(json["name"] == "pair");
    CHECK(json["configurations"] == 2);
    CHECK(json["runs"] == 12);
    CHECK(json["checks"].empty());
    CHECK_FALSE(fs::exists(cli.folder / "data/ringside/ringside.db"));
}

TEST_CASE("check asks a worker once, and again when it is another one; a launch always asks")
{
    CliFixture cli;
    const fs::path asked = cli.folder / "asked";
    const auto worker = [&](const std::string& features) {
        const std::string path =
            cli.write("worker", "#!/bin/sh\necho >> " + asked.string() + "\necho '" + features + "'\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    };
    const auto times = [&] { return readFile(asked).value_or("").size(); };
    const std::string file = cli.pair(1);
    cli.environment["RINGSIDE_WORKER"] = worker("{\"mpi\": true}");
    for (int i = 0; i < 3; ++i)
        CHECK(cli.run({"check", file}).code == 0);
    CHECK(times() == 1);
    cli.environment["RINGSIDE_WORKER"] = worker("{\"mpi\": false}"); // as long as before but for a letter
    CHECK(cli.run({"check", file}).code == 2);
    CHECK(cli.run({"check", file}).says("MPI"));
    CHECK(times() == 2);
    CHECK(cli.run({"run", file}).code == 2);
    CHECK(times() == 3);
    cli.environment["CUDA_VISIBLE_DEVICES"] = "7"; // it may see other GPUs
    CHECK(cli.run({"check", file}).code == 2);
    CHECK(times() == 4);

    const std::string kept = (cli.folder / "home/.cache/ringside/worker-features.json").string();
    REQUIRE(fs::exists(kept));
    cli.write("home/.cache/ringside/worker-features.json", "{\"worker\": 1");
    CHECK(cli.run({"check", file}).code == 2);
    CHECK(times() == 5);
    cli.environment["XDG_CACHE_HOME"] = "/proc/none"; // takes no files: asked each time, and no error
    for (int i = 0; i < 2; ++i)
        CHECK(cli.run({"check", file}).says("MPI"));
    CHECK(times() == 7);
}

TEST_CASE("check asks a worker again when a plug-in beside it comes, changes or goes")
{
    CliFixture cli;
    const fs::path asked = cli.folder / "asked";
    const fs::path worker = cli.write("worker", "#!/bin/sh\necho >> " + asked.string() + "\necho '{\"mpi\": true}'\n");
    fs::permissions(worker, fs::perms::owner_all);
    const fs::path link = cli.folder / "linked/worker"; // the plug-ins lie where the worker's file does
    fs::create_directories(link.parent_path());
    fs::create_symlink(worker, link);
    cli.environment["RINGSIDE_WORKER"] = link.string();
    const std::string file = cli.pair(1);
    std::size_t times = 0;
    const auto asksAgain = [&] {
        CHECK(cli.run({"check", file}).code == 0);
        const std::size_t before = std::exchange(times, readFile(asked).value_or("").size());
        return times > before;
    };
    CHECK(asksAgain());
    for (const fs::path& plugin :
         {layout::workerCudaPlugin(worker.parent_path()), layout::workerGraphPlugin(worker.parent_path())}) {
        CHECK_FALSE(asksAgain());
        cli.write(plugin.filename().string(), "built");
        CHECK(asksAgain());
        CHECK_FALSE(asksAgain());
        cli.write(plugin.filename().string(), "built anew");
        CHECK(asksAgain());
        fs::remove(plugin);
        CHECK(asksAgain());
    }
}

TEST_CASE("check asks a worker that is a script again when the program that it starts gets a plug-in")
{
    CliFixture cli;
    const fs::path asked = cli.folder / "asked", program = cli.folder / "program/worker";
    fs::create_directories(program.parent_path());
    cli.write("program/worker", "stands for what the script starts");
    const fs::path script =
        cli.write("worker", "#!/bin/sh\necho >> " + asked.string() + "\necho '{\"mpi\": true, \"program\": \"" +
                                program.string() + "\"}'\n");
    fs::permissions(script, fs::perms::owner_all);
    cli.environment["RINGSIDE_WORKER"] = script.string();
    const std::string file = cli.pair(1);
    const auto timesAfterCheck = [&] {
        CHECK(cli.run({"check", file}).code == 0);
        return readFile(asked).value_or("").size();
    };
    CHECK(timesAfterCheck() == 1);
    CHECK(timesAfterCheck() == 1);
    cli.write("program/" + layout::workerCudaPlugin(program.parent_path()).filename().string(), "built");
    CHECK(timesAfterCheck() == 2);
    CHECK(timesAfterCheck() == 2);
    cli.write("program/worker", "another program");
    CHECK(timesAfterCheck() == 3);
}

TEST_CASE("what is wrong in a file is said with its line, and nothing is run")
{
    const CliFixture cli;
    const std::string file = cli.experiment("typo", "rnks = [1, 2]", 6, 8, "");
    const Ended checked = cli.run({"check", file, "--json"});
    CHECK(checked.code == 2);
    const Json check = checked.json()["checks"][0];
    CHECK(check["severity"] == "blocking");
    CHECK(check["line"] == 4);
    CHECK(check["field"].get<std::string>().find("rnks") != std::string::npos);
    CHECK(check["text"].get<std::string>().find("Did you mean “ranks”?") != std::string::npos);
    CHECK(cli.run({"run", file}).code == 2);

    const std::string baseless = cli.experiment("baseless", "ranks = [1, 2]", 6, 8, "[base]\nranks = 3\n");
    const Ended refused = cli.run({"run", baseless});
    CHECK(refused.code == 2);
    CHECK(refused.says("matches no configuration"));
    CHECK_FALSE(fs::exists(cli.folder / "data/ringside/ringside.db"));
}

TEST_CASE("what is said of a small form names no line: the file has others")
{
    const CliFixture cli;
    const std::string file = cli.pair(2); // too few for an interval
    const auto checked = [&](const Arguments& command) { return cli.run(command).json()["checks"][0]; };
    const Json whole = checked({"check", file, "--json"}), small = checked({"check", file, "--small", "--json"});
    CHECK(whole["field"] == "runs.repeats");
    CHECK(whole["line"].is_number_integer());
    CHECK(small["field"] == "runs.repeats");
    CHECK(small["line"].is_null());
    CHECK(small["text"].get<std::string>().starts_with("Repeats:"));
}

TEST_CASE("an experiment leaves the list and comes back, and is deleted only when that was said")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.pair(1)}).code == 0);
    CHECK(cli.run({"archive", "pair", "--json"}).json()[0]["archived"] == true);
    CHECK(cli.run({"collect"}).says("pair: 2 of 2 runs done, archived"));
    CHECK(cli.run({"unarchive", "pair", "--json"}).json()[0]["archived"] == false);

    const Ended asked = cli.run({"delete", "pair"});
    CHECK(asked.code == 2);
    CHECK(asked.says("Delete “pair”? 2 runs and their samples (about 2.64 kB) would be deleted for good. Archived, "
                     "they leave the list and can be restored."));
    CHECK(asked.says("--yes"));
    CHECK(cli.count("pair", "done") == 2);
    CHECK(cli.run({"delete", "pair", "--yes", "--json"}).json() == Json({{"experiment", "pair"}, {"runs", 2}}));
    CHECK(cli.run({"runs", "--json"}).json().empty());
    for (const char* command : {"archive", "unarchive", "delete"})
        CHECK(cli.run({command, "pair"}).says("There is no experiment “pair”."));
}
