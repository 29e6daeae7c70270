// SPDX-License-Identifier: MIT
// compare and figure: what of the runs is shown, and in which form it is given out.
#include "core/report/tableforms.h"
#include "core/store/database.h"
#include "tests/cli/clifixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a timeline is of the run that the window would show: the last of what is compared")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.experiment("later", "ranks = [2]", 1, 8, "")}).code == 0);
    REQUIRE(cli.run({"run", cli.experiment("later", "ranks = [1, 2]", 1, 8)}).code == 0); // run 2 has 1 rank
    const auto timeline = [&](const Arguments& more) {
        Arguments arguments{
            "figure", "--experiment", "later", "--show", "timeline", "--to", (cli.folder / "t.svg").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cli.run(arguments);
    };
    // The worker of these tests records nothing in detail: what is said names the run.
    CHECK(timeline({}).says("No iteration of run 1 was recorded in detail."));
    CHECK(timeline({"--run", "2"}).says("No iteration of run 2 was recorded in detail."));
}

TEST_CASE("levels are left out, and factors go where they are wanted, as in the window")
{
    const CliFixture cli;
    const std::string factors = "ranks = [1, 2]\nprecision = [\"fp32\", \"bf16\"]\nmomentum = [0.0, 0.9]";
    REQUIRE(cli.run({"run", cli.experiment("wide", factors, 1, 8)}).code == 0);
    const auto compare = [&](const Arguments& more) {
        Arguments arguments{"compare", "--experiment", "wide", "--show", "speedup"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cli.run(arguments);
    };
    const Json left = compare({"--leave-out", "precision=bf16,momentum=0", "--json"}).json();
    REQUIRE(left["groups"].size() == 2);
    for (const Json& group : left["groups"])
        CHECK((group["factors"]["precision"] == "fp32" && group["factors"]["momentum"] == 0.9));
    // A base case that is not shown is one all the same.
    const Json withoutBase = compare({"--leave-out", "ranks=1", "--json"}).json();
    CHECK(withoutBase["groups"].size() == 4);
    CHECK(withoutBase["groups"][0]["value"].is_number());

    const std::string laidOut = compare({"--x", "momentum", "--series", "ranks", "--panels", "precision"}).out;
    CAPTURE(laidOut);
    CHECK(laidOut.find("fp32\nSeries ") != std::string::npos); // a panel each
    CHECK(laidOut.find("bf16\nSeries ") != std::string::npos);
    CHECK(laidOut.find("  Momentum") != std::string::npos);
    CHECK(laidOut.find("\n2 CPU ranks ") != std::string::npos);

    CHECK(compare({"--leave-out", "momentum=0.5"}).says("No run of “wide” has momentum=0.5."));
    CHECK(compare({"--x", "model"}).says("These vary: ranks, precision, momentum."));
    CHECK(compare({"--x", "ranks", "--panels", "ranks"}).code == 2);
    const fs::path picture = cli.folder / "none.svg";
    const Ended nothing = cli.run({"figure", "--experiment", "wide", "--leave-out", "ranks=1", "--leave-out", "ranks=2",
                                   "--to", picture.string()});
    CHECK(nothing.code == 2);
    CHECK(nothing.says("No finished run of “wide” is left to draw."));
    CHECK_FALSE(fs::exists(picture));
}

TEST_CASE("disturbed runs are left out of medians when asked for, and stay counted")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.experiment("calm", "ranks = [1]", 2, 8, "")}).code == 0);
    {
        auto db = store::Database::openForWriting(cli.folder / "data/ringside/ringside.db");
        REQUIRE(db);
        db->handle().exec("UPDATE attempts SET flags = '[\"disturbed\"]' WHERE id = (SELECT max(id) FROM attempts)");
    }
    const auto compare = [&](const Arguments& more) {
        Arguments arguments{"compare", "--experiment", "calm", "--show", "throughput", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cli.run(arguments).json()["groups"][0];
    };
    CHECK(compare({})["n"] == 2);
    for (const char* show : {"throughput", "phases"}) {
        const std::string text = cli.run({"compare", "--experiment", "calm", "--show", show}).out;
        CAPTURE(text);
        CHECK(text.find("  Flags\n") != std::string::npos);
        CHECK(text.find("  disturbed 1") != std::string::npos);
    }
    const Json left = compare({"--leave-out-disturbed"});
    CHECK(left["n"] == 1);
    CHECK(left["disturbed"] == 1);
}

TEST_CASE("a base case that stands for several numbers of ranks is warned of, and the runs end with their throughput")
{
    const CliFixture cli;
    const std::string rule = "[base]\nprecision = \"fp32\"\n";
    const std::string file = cli.experiment("apart", "ranks = [1, 2]\nprecision = [\"fp32\", \"bf16\"]", 1, 8, rule);
    CHECK(cli.run({"check", file}).says("stands for runs on 1 to 2 ranks, so there is no speed-up."));
    const Ended ended = cli.run({"run", file});
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(ended.says("precision = fp32 is not a single base case"));
    CHECK(ended.out.find("Throughput (images/s)") != std::string::npos);
}

TEST_CASE("where all runs are left out as not a number, the option that draws them is named")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.experiment("lost", "ranks = [1]", 1, 8, "")}).code == 0);
    {
        auto db = store::Database::openForWriting(cli.folder / "data/ringside/ringside.db");
        REQUIRE(db);
        db->handle().exec("UPDATE attempts SET flags = '[\"nan\"]'");
    }
    const std::string picture = (cli.folder / "lost.svg").string();
    const Ended nothing = cli.run({"figure", "--experiment", "lost", "--show", "throughput", "--to", picture});
    CAPTURE(nothing.err);
    CHECK(nothing.code == 2);
    CHECK(nothing.says("The only finished run of “lost” is left out: loss not a number (1)."));
    CHECK(nothing.says("--keep-nan"));
    CHECK(cli.run({"figure", "--experiment", "lost", "--show", "throughput", "--keep-nan", "--to", picture}).code == 0);
}

TEST_CASE("a comparison is given out as the window copies it: table, caption, provenance, runs")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.pair(1)}).code == 0);
    const auto compareAs = [&](const std::string& form) {
        const Ended ended = cli.run({"compare", "--experiment", "pair", "--show", "speedup", "--as", form});
        CHECK(ended.code == 0);
        CHECK(ended.err.empty());
        return ended.out;
    };
    const std::string latex = compareAs("latex");
    CHECK(latex.starts_with("\\begin{tabular}"));
    CHECK(latex.find("\\toprule\nCPU ranks & n & images/s & 95 \\% interval") != std::string::npos);
    CHECK(latex.ends_with("\\end{tabular}\n"));
    const std::string tsv = compareAs("tsv");
    CHECK(tsv.starts_with("CPU ranks\tn\timages/s\t"));
    CHECK(occurrences(tsv, "\n") == 3);
    CHECK(compareAs("caption").starts_with("Speed-up of LeNet under weak scaling"));
    const Json provenance = Json::parse(compareAs("provenance"));
    CHECK(provenance["runs"].size() == 2);
    CHECK(provenance["caption"].get<std::string>() + "\n" == compareAs("caption"));
    CHECK(provenance["comparison"]["show"] == "speedup");
    CHECK(compareAs("runs").starts_with("id,number,experiment,"));
    const Ended refused = cli.run({"compare", "--experiment", "pair", "--as", "word"});
    CHECK(refused.code == 2);
    CHECK(refused.says("“word” is no form of a table. Choose from "));
    CHECK(refused.says(", caption, provenance and runs."));
    for (const report::TableForm& form : report::tableForms()) {
        CHECK_FALSE(compareAs(std::string(form.name)).empty());
        CHECK(refused.says(std::string(form.name) + ", "));
    }
    CHECK(cli.run({"compare", "--experiment", "pair", "--as", "latex", "--json"}).code == 2);
}

TEST_CASE("what is claimed against the fastest stands beside its ratio and p, in words and in JSON")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.experiment("two", "precision = [\"fp32\", \"bf16\"]", 6, 8, "")}).code == 0);
    const Arguments compare{"compare", "--experiment", "two", "--show", "throughput"};
    Arguments asJson = compare;
    asJson.emplace_back("--json");
    const Json groups = cli.run(asJson).json()["groups"];
    REQUIRE(groups.size() == 2);
    const std::size_t best = groups[0]["against_best"]["verdict"] == "best" ? 0 : 1;
    const Json against = groups[1 - best]["against_best"];
    CHECK(groups[best]["against_best"]["p"].is_null());
    const double p = against["p"];
    CHECK(p > 0);
    CHECK(p <= 1);
    const double low = against["low"], ratio = against["ratio"], high = against["high"];
    CHECK(low <= ratio);
    CHECK(ratio <= high);
    const std::string text = cli.run(compare).out;
    CAPTURE(text);
    CHECK(text.find("  fastest") != std::string::npos);
    const std::string verdict = against["verdict"] == "slower" ? "slower" : "no difference shown";
    CHECK(text.find(verdict + ", p ") != std::string::npos);
    CHECK(text.find(fmt::format("{:.3f}", ratio)) != std::string::npos);
}

TEST_CASE("a figure is exported with all that the window writes beside it")
{
    const CliFixture cli;
    REQUIRE(cli.run({"run", cli.pair(1)}).code == 0);
    const fs::path into = cli.folder / "paper";
    const auto figure = [&](const Arguments& more) {
        Arguments arguments{"figure", "--experiment", "pair", "--show", "speedup", "--into", into.string(), "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cli.run(arguments);
    };
    const auto paths = [&](const std::vector<std::string>& names) {
        std::vector<std::string> all;
        for (const std::string& name : names)
            all.push_back((into / name).string());
        return Json(all);
    };
    const Json written = figure({}).json();
    CHECK(written["paths"] == paths({"fig-speedup.pdf", "fig-speedup.svg", "fig-speedup.csv", "runs.csv",
                                     "fig-speedup.json", "caption.txt"}));
    CHECK(beginning(into / "fig-speedup.pdf") == "%PDF-");
    CHECK(readFile(into / "caption.txt").value_or("") == written["caption"].get<std::string>() + "\n");
    CHECK(Json::parse(readFile(into / "fig-speedup.json").value_or(""))["runs"].size() == 2);
    CHECK(occurrences(readFile(into / "runs.csv").value_or(""), "\n") == 3);

    SUBCASE("nothing is replaced unasked")
    {
        CHECK(figure({"--files", "caption,csv", "--caption", "Mine."}).json()["paths"] ==
              paths({"fig-speedup-2.csv", "caption-2.txt"}));
        CHECK(readFile(into / "caption-2.txt").value_or("") == "Mine.\n");
        CHECK(figure({"--files", "caption", "--caption", "Mine.", "--replace"}).json()["caption"] == "Mine.");
        CHECK(readFile(into / "caption.txt").value_or("") == "Mine.\n");
    }
    SUBCASE("each file that cannot be written is named, and so are those that were")
    {
        for (const char* name : {"fig-speedup.csv", "caption.txt"}) {
            fs::remove(into / name);
            fs::create_directory(into / name);
        }
        const Ended ended = figure({"--files", "csv,caption,runs", "--replace"});
        CAPTURE(ended.err);
        CHECK(ended.code == 73);
        CHECK(ended.json()["paths"] == paths({"runs.csv"}));
        CHECK(ended.says("fig-speedup.csv"));
        CHECK(ended.says("caption.txt"));
    }
    SUBCASE("as big as it is wanted")
    {
        CHECK(figure({"--files", "svg", "--width", "120", "--height", "90", "--text", "10", "--outlines"}).code == 0);
        const std::string svg = readFile(into / "fig-speedup-2.svg").value_or("");
        CHECK(svg.find("width=\"120mm\" height=\"90mm\"") != std::string::npos);
        CHECK(svg.find("<text") == std::string::npos);
        for (const char* size : {"--width", "--height", "--text"})
            for (const char* number : {"nan", "inf"}) {
                const Ended refused = figure({size, number});
                CHECK_MESSAGE(refused.code == 2, size, " ", number);
                CHECK(refused.says(size));
            }
    }
    SUBCASE("a series in colour has to be there")
    {
        const Ended refused = figure({"--in-colour", "nosuch"});
        CHECK(refused.code == 2);
        CHECK(refused.says("“nosuch” is no series of this figure."));
    }
    SUBCASE("a folder is made where its own folder is there")
    {
        const fs::path before = fs::current_path();
        fs::current_path(cli.folder.path());
        for (const std::string name : {"here", "there/"})
            CHECK(cli.run({"figure", "--experiment", "pair", "--into", name, "--files", "caption"}).code == 0);
        fs::current_path(before);
        CHECK(fs::exists(cli.folder / "here/caption.txt"));
        CHECK(fs::exists(cli.folder / "there/caption.txt"));
    }
    SUBCASE("what cannot be meant")
    {
        CHECK(figure({"--files", "trace"}).says("There are: pdf, svg, png, csv, runs, provenance, caption."));
        CHECK(figure({"--to", "a.pdf"}).code == 2);
        CHECK(cli.run({"figure", "--experiment", "pair"}).code == 2);
        CHECK(cli.run({"figure", "--experiment", "pair", "--to", "a.pdf", "--replace"}).code == 2);
        CHECK(cli.run({"figure", "--experiment", "pair", "--into", "/nodir/a"}).code == 73);
    }
}
