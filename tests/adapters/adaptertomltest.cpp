// SPDX-License-Identifier: MIT
#include "core/adapters/adaptertoml.h"
#include "core/base/files.h"
#include "core/protocol/plan.h"
#include "tests/support/built.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::adapters;

namespace {

/// The least that a table has to say.
constexpr const char* kSmall = R"(format = 1
name  = "tiny"
title = "Tiny"
[launch]
command = ["tiny", "--rank={rank}"]
)";

Adapter adapterOf(const std::string& toml)
{
    AdapterOutcome outcome = readAdapter(toml);
    for (const spec::Check& check : outcome.checks)
        MESSAGE(toText(check, "adapter"));
    REQUIRE(outcome.adapter);
    return std::move(*outcome.adapter);
}

std::string firstFinding(const std::string& toml)
{
    const AdapterOutcome outcome = readAdapter(toml);
    CHECK_FALSE(outcome.adapter);
    return outcome.checks.empty() ? std::string() : toText(outcome.checks.front(), "t");
}

/// Returns the finding about the small table with these lines behind it.
std::string findingWith(const std::string& lines)
{
    return firstFinding(kSmall + lines);
}

/// A run of the system, beside all processes that its table knows.
CampaignPlan planWith(const Adapter& adapter)
{
    RunSpec run;
    run.id = RunId::random();
    run.configurationKey = "c";
    run.settings = Settings{{"engine", adapter.name}, {"ranks", std::int64_t{2}}};
    for (const spec::RoleRow& row : adapter.roles)
        if (std::ranges::find(run.roles, row.name, &Role::name) == run.roles.end())
            run.roles.push_back({row.name, 1, row.placement, row.duty});
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = StoreId::random();
    plan.experiment = "e";
    plan.site = "local";
    plan.worker = "/usr/lib/ringside/ringside-worker";
    plan.runs = {run};
    plan.engines = {{adapter.name, adapter.engine}};
    return plan;
}

} // namespace

TEST_CASE("a small table is an adapter")
{
    const Adapter adapter = adapterOf(kSmall);
    CHECK(adapter.name == "tiny");
    CHECK(adapter.engine.title == "Tiny");
    CHECK(adapter.engine.command == std::vector<std::string>{"tiny", "--rank={rank}"});
    CHECK(adapter.versions.contains("7"));
}

TEST_CASE("each placeholder is listed once, though some are settings and known to a process, too")
{
    for (auto names : {placeholdersFor(adapterOf(kSmall)), argumentNamesFor(adapterOf(kSmall))}) {
        CHECK(std::ranges::count(names, "ranks") == 1);
        std::ranges::sort(names);
        CHECK(std::ranges::adjacent_find(names) == names.end());
    }
}

TEST_CASE("a table says which items its lines count, if Ringside starts nothing by it")
{
    const std::string head = "format = 1\nname = \"tiny\"\ntitle = \"Tiny\"\n",
                      lines = "[[lines]]\npattern = \"step {iteration}: {items_per_second} tok/s\"\n";
    CHECK(adapterOf(head + lines).items == logs::LineItems::model);
    CHECK(adapterOf(head + "items = \"tokens\"\n" + lines).items == logs::LineItems::tokens);
    CHECK(firstFinding(head + "items = \"words\"\n" + lines) ==
          "t, line 4, column 9: expected one of model, sequences and tokens, found “words”.");
    CHECK(firstFinding("items = \"tokens\"\n" + std::string(kSmall)) ==
          "t, line 1, column 9: runs that Ringside starts count what their model is trained with. Leave it out, or "
          "[launch].");
}

TEST_CASE("options, roles, gaps, designs, exits and lines are read")
{
    const Adapter adapter = adapterOf("settings = [\"precision\"]\n" + std::string(kSmall) + R"(
rank_name = "worker"
[launch.environment]
PLACE = "{address}:{port}"
[launch.role_environment.server]
ROLE = "server"
[options.servers]
type = "integer"
minimum = 1
maximum = 64
default = 2
label = "Servers"
about = "Processes that hold weights."
source = "its manual"
[[roles]]
name = "server"
count = "{tiny.servers}"
[[roles]]
name = "scheduler"
count = 1
least_ranks = 1
placement = "own"
duty = "serves"
[[gaps]]
match = { precision = "bf16", tiny.servers = 3 }
why = "It has no bf16."
[[designs]]
match = { ranks = 2 }
plan = "mxnet"
[[exits]]
code = 3
cause = "settings"
sentence = "refused its settings"
[[lines]]
pattern = "step {iteration}: {items_per_second} images/s"
meaning = "interval"
scope = "all"
versions = ">=1.3, <2"
)");
    REQUIRE(adapter.options.size() == 1);
    CHECK(adapter.options.front().key == "tiny.servers");
    CHECK(adapter.options.front().standard == Value(std::int64_t{2}));
    REQUIRE(adapter.roles.size() == 2);
    CHECK(adapter.roles[0].count == "{tiny.servers}");
    CHECK(adapter.roles[1].count == "1");
    CHECK(adapter.roles[1].placement == Placement::own);
    CHECK(adapter.roles[0].duty == Duty::helps);
    CHECK(adapter.roles[1].duty == Duty::serves);
    CHECK(adapter.engine.rankName == "worker");
    CHECK(adapter.engine.lines ==
          std::vector<EngineLine>{{"step {iteration}: {items_per_second} images/s", "interval", "all", ">=1.3, <2"}});
    CHECK(adapter.engine.exits.front().cause == Cause::settings);
    CHECK(adapter.engine.roles.front() == EngineRole{"server", {{"ROLE", "server"}}});
}

TEST_CASE("a design may have as many of an option as there are nodes, where that is a whole number")
{
    const auto isRead = [](const std::string& option, const std::string& value) {
        const AdapterOutcome outcome =
            readAdapter(kSmall + ("[options.servers]\nlabel = \"S\"\nabout = \"a\"\nsource = \"s\"\n" + option) +
                        "[[designs]]\nmatch = { tiny.servers = \"" + value + "\" }\nplan = \"mxnet\"\n");
        return outcome.adapter.has_value();
    };
    const std::string number = "type = \"integer\"\ndefault = 1\nminimum = 1\nmaximum = 9\n";
    CHECK(isRead(number, "{nodes}"));
    CHECK_FALSE(isRead(number, "{model}"));
    CHECK_FALSE(isRead("type = \"word\"\ndefault = \"a\"\nlevels = [\"a\"]\n", "{nodes}"));
}

TEST_CASE("a number has no bounds unless its table says them")
{
    const Adapter adapter = adapterOf(std::string(kSmall) + "[options.pause]\ntype = \"real\"\nlabel = \"Pause\"\n"
                                                            "default = 7.5\nabout = \"a\"\nsource = \"s\"\n");
    CHECK(adapter.options.front().standard == Value(7.5));
}

TEST_CASE("a whole number that a table writes for a real is that real, as in experiments")
{
    const Adapter adapter =
        adapterOf(std::string(kSmall) + "[options.pause]\ntype = \"real\"\nlabel = \"Pause\"\ndefault = 1\n"
                                        "about = \"a\"\nsource = \"s\"\n"
                                        "[[designs]]\nmatch = { tiny.pause = 1 }\nplan = \"mxnet\"\n");
    CHECK(adapter.options.front().standard == Value(1.0));
    CHECK(adapter.designs.front().match.at("tiny.pause") == Value(1.0));
}

TEST_CASE("a system that takes scripts has options for them")
{
    const Adapter adapter =
        adapterOf(std::string(kSmall) + "script_command = [\"tiny\", \"{tiny.script}\", \"{tiny.arguments}\"]\n");
    REQUIRE(adapter.options.size() == 2);
    CHECK(adapter.options[0].key == "tiny.script");
    CHECK(adapter.options[0].type == spec::SettingType::path);
    CHECK_FALSE(adapter.options[1].standard);
    for (const std::string name : {"script", "arguments"})
        CHECK(findingWith("[options." + name +
                          "]\ntype = \"word\"\nlevels = [\"a\"]\ndefault = \"a\"\n"
                          "about = \"a\"\nsource = \"b\"\n")
                  .find("“" + name + "” is an option that Ringside adds") != std::string::npos);
}

TEST_CASE("errors name the line and what to write")
{
    CHECK(firstFinding("name = 1").find("t, line 1") == 0);
    CHECK(firstFinding("format = 2\nname = \"a\"\ntitle = \"A\"\n[launch]\ncommand = [\"a\"]\n")
              .find("format 2 is not known") != std::string::npos);
    CHECK(findingWith("colour = \"red\"\n").find("t, line 6, column 1: “colour” is not known here.") == 0);
    CHECK(findingWith("[[lines]]\npattern = \"step {itration}\"\n").find("t, line 7") == 0);
    CHECK(findingWith("[[lines]]\npattern = \"step {itration}\"\n").find("Did you mean “iteration”?") !=
          std::string::npos);
    CHECK(findingWith("[[lines]]\npattern = \"step {iteration}\"\nversions = \"2\"\n").find("t, line 8") == 0);
    CHECK(findingWith("[[lines]]\npattern = \"step {iteration} took {seconds} s {?}zz\"\n")
              .find("column 35 of the pattern: what follows “{?}” needs a text of at least 3 characters") !=
          std::string::npos);
    CHECK(findingWith("[[lines]]\npattern = \"step {iteration} {iteration}\"\n")
              .find("the field “iteration” is there twice.") != std::string::npos);
    CHECK(findingWith("[[lines]]\npattern = \"step {iteration}{?}loss {loss} {loss}\"\n")
              .find("the field “loss” is there twice.") != std::string::npos);
    adapterOf(std::string(kSmall) + "[[lines]]\npattern = \"step {iteration}{?}loss {loss}{?}loss={loss}\"\n");
    CHECK(findingWith("[launch.environment]\nA = \"{prot}\"\n").find("there is no placeholder “prot”") !=
          std::string::npos);
    CHECK(findingWith("[launch.environment]\nA = \"{rank\"\n").find("this brace is not closed") != std::string::npos);
    CHECK(findingWith("[launch.role_environment.server]\nA = \"1\"\n").find("there is no role “server”") !=
          std::string::npos);
    CHECK(findingWith("[[gaps]]\nmatch = { precison = \"bf16\" }\nwhy = \"No.\"\n").find("has no setting “precison”") !=
          std::string::npos);
    CHECK(findingWith("[[gaps]]\nmatch = { ranks = 0 }\nwhy = \"No.\"\n").find("t, line 7") == 0);
    CHECK(findingWith("[[gaps]]\nmatch = { ranks = 2 }\n").find("“why” is missing") != std::string::npos);
    CHECK(findingWith("[[gaps]]\nmatch = { ranks = 2 }\nbelow = { model = \"lenet\" }\nwhy = \"No.\"\n")
              .find("only numbers can have a bound") != std::string::npos);
    CHECK(findingWith("[[roles]]\nname = \"rank\"\n").find("the ranks need no row") != std::string::npos);
    CHECK(findingWith("[[roles]]\nname = \"ps\"\nduty = \"serve\"\n").find("Did you mean “serves”?") !=
          std::string::npos);
    CHECK(findingWith("rank_name = \"worker\"\n[[roles]]\nname = \"worker\"\n")
              .find("the ranks already have this name") != std::string::npos);
    CHECK(findingWith("process = \"host\"\n").find("“host”") != std::string::npos);
    CHECK(findingWith("process = \"node\"\n[[roles]]\nname = \"ps\"\n").find("such a process cannot have roles") !=
          std::string::npos);
    CHECK(findingWith("rank_name = \"Worker 1\"\n").find("is not a valid name") != std::string::npos);
    CHECK(findingWith("[[roles]]\nname = \"server\"\ncount = \"{tiny.servers}\"\n").find("expected a number") !=
          std::string::npos);
    const auto defaultFinding = [](const std::string& type, const std::string& standard) {
        return findingWith("[options.servers]\ntype = \"" + type + "\"\nabout = \"a\"\nsource = \"b\"\ndefault = \"" +
                           standard + "\"\n");
    };
    CHECK(defaultFinding("integer", "{rank}").find("a default of this type cannot be in braces") != std::string::npos);
    CHECK_FALSE(defaultFinding("integer", "{}").empty());
    CHECK(defaultFinding("real", "{ranks}").find("Write a value; for an integer it may be \"{ranks}\"") !=
          std::string::npos);
    CHECK(findingWith("[[designs]]\nplan = \"mxnt\"\n").find("there is no plan “mxnt”") != std::string::npos);
    CHECK(findingWith("[[exits]]\ncode = 0\nsentence = \"ended\"\n").find("from 1 to 255") != std::string::npos);
    CHECK(
        findingWith("[options.a]\ntype = \"word\"\nlevels = [\"x\"]\ndefault = \"y\"\nabout = \"a\"\nsource = \"s\"\n")
            .find("“y” is not known") != std::string::npos);
    CHECK(findingWith("[options.a]\ntype = \"integer\"\n").find("the default is missing") != std::string::npos);
    CHECK(findingWith(
              "[options.a]\ntype = \"real\"\nminimum = 5\nmaximum = 3\ndefault = 4\nabout = \"a\"\nsource = \"s\"\n")
              .find("the minimum is above the maximum, 3") != std::string::npos);
    const std::string word =
        "[options.a]\ntype = \"word\"\nlevels = [\"x\"]\ndefault = \"x\"\nabout = \"a\"\nsource = \"s\"\n";
    CHECK(findingWith(word + "match = { tiny.a = \"x\" }\n").find("an option cannot depend on itself") !=
          std::string::npos);
    CHECK(findingWith(word + "match = { tiny.b = \"x\" }\n").find("has no setting “tiny.b”") != std::string::npos);
    CHECK(findingWith("[[roles]]\nname = \"ps\"\n[[roles]]\nname = \"ps\"\n").find("already a role with this name") !=
          std::string::npos);
    CHECK(findingWith("[[roles]]\nname = \"a\"\nduty = \"leads\"\n[[roles]]\nname = \"b\"\nduty = \"leads\"\n")
              .find("another role leads") != std::string::npos);
    CHECK(firstFinding("format = 1\nname = \"a\"\ntitle = \"\"\n[launch]\ncommand = [\"a\"]\n").find("it is empty") !=
          std::string::npos);
    std::string ringside = kSmall;
    ringside.replace(ringside.find("tiny"), 4, "ringside");
    CHECK(firstFinding(ringside).find("Ringside’s own engine") != std::string::npos);
}

TEST_CASE("what a plan would refuse is refused before, at its line")
{
    CHECK(
        findingWith("[[roles]]\nname = \"ps-chief\"\n").find("t, line 7, column 8: “ps-chief” is not a valid name.") ==
        0);
    const auto rows = [](int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "[[lines]]\npattern = \"step {iteration}\"\n";
        return text;
    };
    CHECK(adapterOf(kSmall + rows(200)).engine.lines.size() == 200);
    CHECK(findingWith(rows(201)).find("t, line 406") == 0);
    for (const char* wrong : {"-1", "1000001"})
        CHECK(firstFinding("warmup_records = " + std::string(wrong) + "\n" + kSmall) ==
              "t, line 1, column 18: expected a whole number from 0 to 1,000,000, found " + std::string(wrong) +
                  ". Write how many records of each rank no figure counts, such as 1.");
    CHECK(adapterOf("warmup_records = 1000000\n" + std::string(kSmall)).engine.warmupRecords == 1'000'000);
    std::string titled = kSmall;
    titled.replace(titled.find("Tiny"), 4, std::string(201, 'T'));
    CHECK(firstFinding(titled) ==
          "t, line 3, column 9: it is longer than 200 bytes. Make it shorter: it has to fit a run’s plan.");
    const std::string tooLong = "it is longer than 4096 bytes. Make it shorter: it has to fit a run’s plan.",
                      text = "\"" + std::string(5000, 'x') + "\"";
    CHECK(findingWith("script_command = [\"a\", " + text + "]\n") == "t, line 6, column 24: " + tooLong);
    CHECK(findingWith("[[exits]]\ncode = 3\nsentence = " + text + "\n") == "t, line 8, column 12: " + tooLong);
    CHECK(findingWith("[install]\nmodule = " + text + "\n") == "t, line 7, column 10: " + tooLong);
}

TEST_CASE("a list that is too long is refused with its limit")
{
    const auto words = [](int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "\"a\",";
        return "script_command = [" + text + "]\n";
    };
    CHECK(findingWith(words(1001)) ==
          "t, line 6, column 18: a list has at most 1,000 entries, and this one has 1,001. Leave some out.");
    CHECK(adapterOf(kSmall + words(1000)).engine.scriptCommand.size() == 1000);
    std::string exits;
    for (int i = 0; i < 1001; ++i)
        exits += "[[exits]]\ncode = 3\n";
    CHECK(findingWith(exits).find("a list has at most 1,000 entries, and this one has 1,001.") != std::string::npos);
}

TEST_CASE("an option without a type is a word, and one that is a number is refused for its missing type")
{
    const std::string said = "label = \"A\"\nabout = \"a\"\nsource = \"s\"\n";
    CHECK(adapterOf(std::string(kSmall) + "[options.a]\ndefault = \"x\"\n" + said).options.front().type ==
          spec::SettingType::word);
    for (const char* number : {"default = 2\n", "default = 0.5\n", "default = \"{ranks}\"\n",
                               "default = \"2\"\nminimum = 1\n", "default = \"2\"\nmaximum = 9\n"})
        CHECK(findingWith("[options.a]\n" + std::string(number) + said) ==
              "t, line 6, column 1: the type of this number is missing. Write type = \"integer\" or type = \"real\".");
}

TEST_CASE("an option without a type whose levels are numbers is a word, and its default needs no quotes")
{
    const Adapter read =
        adapterOf(std::string(kSmall) + "[options.a]\nlevels = [\"1\", \"2\"]\ndefault = 1\nlabel = \"A\"\n"
                                        "about = \"a\"\nsource = \"s\"\n");
    CHECK(read.options.front().type == spec::SettingType::word);
    CHECK(read.options.front().standard == Value("1"));
}

TEST_CASE("an installation says first what it costs, and names packages and a module")
{
    std::string licensed = kSmall;
    licensed.insert(licensed.find("[launch]"), "licence = \"MIT\"\n");
    const std::string costs = "[install]\nmegabytes = 10\nseconds = 5\nfrom = \"the index\"\n";
    const std::string package = "packages = [\"a==1\"]\n";
    CHECK(firstFinding(kSmall + costs + package).find("“licence” is missing: it is shown before") != std::string::npos);
    CHECK(firstFinding(licensed + "[install]\nseconds = 5\nfrom = \"the index\"\n" + package)
              .find("“megabytes” is missing") != std::string::npos);
    CHECK(firstFinding(licensed + costs + "module = \"../evil\"\n").find("“../evil” cannot be the name of a module") !=
          std::string::npos);
    CHECK(firstFinding(licensed + costs + "packages = [\"a==1\", \"--pre\"]\n").find("“--pre” is not a package") !=
          std::string::npos);
    CHECK(firstFinding(licensed + costs + "module = \"tiny\"\nlibraries = { \"../x\" = \"libz.so.1\" }\n")
              .find("“../x” is not a library file") != std::string::npos);
    adapterOf(std::string(kSmall) + "[install]\nmodule = \"tiny\"\n"); // nothing is fetched
    adapterOf(licensed + costs +
              "module = \"tiny.core\"\npackages = [\"a==1\"]\nlibraries = { \"liba.so.1\" = \"libz.so.1\" }\n");
}

TEST_CASE("a version is asked of a module or a program, and by no command of the table")
{
    CHECK(firstFinding("version_command = [\"tiny\"]\n" + std::string(kSmall)).find("“version_command”") !=
          std::string::npos);
}

TEST_CASE("Caffe's table accepts 1.0 and the release candidate that is built, which is not called 1.0")
{
    const auto text = readFile(test::sourceFolder() / "resources" / "adapters" / "caffe.toml");
    const auto project = readFile(test::sourceFolder() / "agent" / "drivers" / "caffe_build" / "CMakeLists.txt");
    REQUIRE(text);
    REQUIRE(project);
    const std::string built = "1.0.0-rc3+brocolli-9.0.2";
    CHECK(project->find("set(version " + built + ")") != std::string::npos);
    CHECK(project->find("CAFFE_VERSION=${version}") != std::string::npos);
    const Adapter caffe = adapterOf(*text);
    CHECK(caffe.versions.contains(built));
    CHECK(caffe.versions.contains("1.0.0"));
}

TEST_CASE("every table that Ringside brings is right")
{
    const fs::path folder = test::sourceFolder() / "resources" / "adapters";
    std::size_t tables = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        CAPTURE(entry.path());
        const auto text = readFile(entry.path());
        REQUIRE(text);
        const Adapter adapter = adapterOf(*text);
        CHECK(adapter.name == entry.path().stem());
        const CampaignPlan plan = planWith(adapter);
        CHECK(planFromJson(planToJson(plan)) == plan);
        ++tables;
    }
    CHECK(tables > 0);
}
