// SPDX-License-Identifier: MIT
// The worker that trains, from the file to the comparison.
#include "tests/cli/clifixture.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a training on 1 and 2 ranks through to its phases")
{
    CliFixture cli;
    cli.environment.erase("RINGSIDE_WORKER");
    const Ended ended = cli.run({"run", cli.experiment("training", "ranks = [1, 2]", 1, 6)});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json json = cli.run({"compare", "--experiment", "training", "--show", "phases", "--json"}).json();
    REQUIRE(json["groups"].size() == 2);
    for (const Json& group : json["groups"]) {
        CAPTURE(group.dump(1));
        double sum = 0;
        for (const auto& [name, milliseconds] : group["phases"].items())
            sum += milliseconds.get<double>();
        CHECK(group["value"].get<double>() > 0);
        CHECK(sum == doctest::Approx(group["value"].get<double>()).epsilon(1e-6));
        CHECK(group["phases"]["forward"].get<double>() > 0);
        CHECK(group["phases"]["backward"].get<double>() > 0);
    }
    const Json run = cli.run({"show", "1"}).json();
    CHECK(run["attempts"][0]["facts"]["model"].is_object());
    std::string logs;
    for (const Json& path : run["attempts"][0]["logs"])
        logs += readFile(path.get<std::string>()).value_or("");
    CHECK(logs.find(" on 1 rank, ") != std::string::npos);
    const double flops = run["flops_per_image"].get<double>();
    CHECK(flops > 1e6);
    CHECK(run["gflop_per_second"].get<double>() ==
          doctest::Approx(flops * run["images_per_second"].get<double>() / 1e9));

    const auto timeline = [&](const std::string& name, Arguments more) {
        Arguments arguments{"figure", "--experiment", "training", "--show", "timeline", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"--to", (cli.folder / name).string()});
        return cli.run(arguments);
    };
    const Ended trace = timeline("t.json", {"--run", "2"});
    CAPTURE(trace.err);
    REQUIRE(trace.code == 0);
    const std::string text = readFile(cli.folder / "t.json").value_or("");
    CHECK(Json::parse(text)["traceEvents"].size() > 20);
    CHECK(text.find("\"conv1\"") != std::string::npos);
    for (const char* name : {"t.svg", "t.pdf", "t.csv"})
        CHECK(timeline(name, {}).code == 0);
    CHECK(readFile(cli.folder / "t.csv").value_or("").find(",backward,fc3,") != std::string::npos);
    const Ended refused = timeline("u.svg", {"--iteration", "5"});
    CHECK(refused.code == 2);
    CHECK(refused.says("was not recorded in detail"));
    CHECK(cli.run({"compare", "--experiment", "training", "--show", "timeline"}).code == 2);
    CHECK(cli.run({"figure", "--experiment", "training", "--run", "1", "--to", "x.svg"}).code == 2);
}

TEST_CASE("a site is calibrated by a run there, and what it found is kept")
{
    CliFixture cli;
    cli.environment.erase("RINGSIDE_WORKER");
    CHECK(cli.run({"calibrate", "local", "--show"}).code == 2);
    const Ended refused = cli.run({"calibrate", "local", "--ranks-per-node", "4096"});
    CHECK(refused.code == 2);
    CHECK_MESSAGE(refused.err.find("line ") == std::string::npos, refused.err); // the command made it, not the user
    const Ended ended = cli.run({"calibrate", "local", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json found = ended.json();
    REQUIRE(found.size() == 1);
    const Json& calibration = found[0]["calibration"];
    CHECK(calibration["format"] == 1);
    CHECK(calibration["ranks"] == 2);
    CHECK(calibration["gemm_flops"]["median"].get<double>() > 1e8);
    CHECK(calibration["links"].size() == 2);
    CHECK(cli.run({"calibrate", "local", "--show", "--json"}).json() == found);
    const std::string shown = cli.run({"calibrate", "local", "--show"}).out;
    CHECK(shown.find("all-reduce") != std::string::npos);
    CHECK(shown.find("2 ranks on 1 node, 1 core each; ") != std::string::npos);
    CHECK(cli.count("calibration-local", "done") == 1);
    CHECK(ended.err.find("Calibration · 2 CPU ranks · repeat 1: done") != std::string::npos);
    CHECK(cli.run({"runs", "--json"}).json()[0]["images_per_second"].is_null());
    const Ended compared = cli.run({"compare", "--experiment", "calibration-local"});
    CHECK(compared.code == 2);
    CHECK(compared.out.empty());
    CHECK(compared.says("trains nothing that could be compared"));
    REQUIRE(cli.run({"run", cli.experiment("merged", "ranks = [2]\nplan = [\"mg-wfbp\"]", 1, 6, "")}).code == 0);
    const Json merged = cli.run({"show", "2"}).json();
    CAPTURE(merged.dump(1));
    const std::string source = merged["attempts"][0]["facts"]["model"]["plan_message_cost_source"];
    const bool disturbed = found[0]["flags"].dump().find("disturbed") != std::string::npos;
    const double rate = 2 * calibration["gemm_flops"]["median"].get<double>();
    if (disturbed)
        CHECK(merged["percent_of_gemm_rate"].is_null());
    else
        CHECK(merged["percent_of_gemm_rate"].get<double>() ==
              doctest::Approx(100 * merged["gflop_per_second"].get<double>() * 1e9 / rate));
    CHECK(source.starts_with(disturbed ? "measured before training" : "calibration of "));
}
