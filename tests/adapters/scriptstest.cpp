// SPDX-License-Identifier: MIT
// A user's own script in a system's place: which settings its runs have, and what is refused.
#include "core/adapters/adaptertoml.h"
#include "core/spec/validate.h"
#include "tests/adapters/tinytable.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// The table kTiny with these words for starting a user's own script.
std::string withScripts(const std::string& words)
{
    std::string table = kTiny;
    return table.replace(table.find("command = [\"tiny\"]"), 18,
                         "command = [\"tiny\"]\nscript_command = [" + words + "]");
}

/// The first blocking finding about a script with these arguments, or nothing.
std::string scriptFinding(const std::string& factors, const std::string& arguments, const std::string& rest = {})
{
    const std::string fixed =
        "tiny.script = \"/home/me/train.py\"\n" + (arguments.empty() ? "" : "tiny.arguments = \"" + arguments + "\"\n");
    const auto checks = spec::validate(experiment("engine = [\"tiny\"]\n" + factors, fixed + rest), {});
    return spec::hasBlocking(checks) ? checks.front().field + ": " + checks.front().message + " " + checks.front().hint
                                     : "";
}

constexpr const char* kTwoBatches = "[[when]]\nmatch = { ranks = 2 }\nset = { batch_per_rank = 64 }\n";

} // namespace

TEST_CASE("a script is named by its whole path, and is there where that can be seen")
{
    std::string table = kTiny;
    table.replace(table.find("command = [\"tiny\"]"), 18, "command = [\"tiny\"]\nscript_command = [\"{tiny.script}\"]");
    const InUse inUse(table);
    const test::TemporaryFolder folder;
    REQUIRE(writeFileAtomically(folder / "train.py", "pass\n"));
    const auto finding = [&](const std::string& script) {
        spec::SiteLimits site;
        site.engines.emplace().emplace("tiny", "1");
        site.hasFile = [](const std::string& path) { return fs::is_regular_file(path); };
        const auto checks = spec::validate(
            experiment("engine = [\"tiny\"]\nranks = [1]\n", "tiny.script = \"" + script + "\"\n"), site);
        return spec::hasBlocking(checks) ? toText(checks.front()) : "";
    };
    CHECK(finding((folder / "train.py").string()).empty());
    CHECK(finding((folder / "gone.py").string()).find("has no file") != std::string::npos);
    CHECK(finding(folder.path().string()).find("has no file") != std::string::npos);
    CHECK(finding("train.py").find("“train.py” is no whole path") != std::string::npos);
    CHECK(finding("").find("expected a path in quotes") != std::string::npos);
}

TEST_CASE("a user's own script obeys what its command tells it, and no other setting is part of its runs")
{
    std::string table = kTiny;
    table.replace(table.find("command = [\"tiny\"]"), 18,
                  "command = [\"tiny\"]\nscript_command = [\"{tiny.script}\", \"{image_size}\"]");
    const InUse inUse(table);
    const auto matrix = matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\nprecision = [\"fp32\", \"bf16\"]\n",
                                            "image_size = 64\ntiny.script = \"/home/me/train.py\"\n"));
    REQUIRE(matrix.configurations.size() == 1); // and its gap has no meaning for it
    const Settings& settings = matrix.configurations.front().settings;
    CHECK(!settings.contains("precision"));
    CHECK(integerOf(settings, "image_size") == 64);
    CHECK(integerOf(settings, "tiny.servers") == 2);
    CHECK(settings.contains("device"));
    REQUIRE(matrix.notes.size() == 1);
    CHECK(matrix.notes.front().find("Precision") != std::string::npos);
}

TEST_CASE("a user's own script obeys the settings that its arguments name")
{
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    const auto sizes = [](const std::string& arguments) {
        return matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\nimage_size = [64, 128]\n",
                                   "tiny.script = \"/t.py\"\ntiny.arguments = \"" + arguments + "\"\n"))
            .configurations.size();
    };
    CHECK(sizes("--size 64") == 1);
    CHECK(sizes("--size {image_size}") == 2);
}

TEST_CASE("an unknown placeholder in a script's arguments is refused with those that there are")
{
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    CHECK(scriptFinding("", "--batch {batch_per_rank} --n {iterations} --s {tiny.servers} --r {rank} {{x}}").empty());
    const std::string unknown = scriptFinding("", "--batch {batch}");
    CHECK(unknown.find("fixed.tiny.arguments: Arguments: there is no placeholder “batch”. Placeholders are ") == 0);
    CHECK(unknown.find("batch_per_rank") != std::string::npos);
    CHECK(unknown.find("iterations") != std::string::npos);
    CHECK(unknown.find("python") == std::string::npos); // its value is in commands alone
    CHECK(scriptFinding("", "{python}").find("there is no placeholder “python”") != std::string::npos);
    CHECK(scriptFinding("", "{\\\"a\\\": 1}").find("there is no placeholder") != std::string::npos);
    CHECK(scriptFinding("", "--batch {batch_per_rank").find("this brace is not closed") != std::string::npos);
    const std::string empty = scriptFinding("batch_per_rank = [32, 64]\n", "--batch {batch_global}");
    CHECK(empty.find("“batch_global” has no value where the batch per rank is held fixed. Name {batch_per_rank}") !=
          std::string::npos);
    CHECK(scriptFinding("batch_global = [32, 64]\n", "--batch {batch_global}").empty());
}

TEST_CASE("arguments have no effect without a script, and a warning says so in their line")
{
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    const auto warnings = [](const std::string& lines) {
        std::string text;
        for (const spec::Check& check :
             spec::checkExperiment("format = 1\nname = \"e\"\n[fixed]\nengine = \"tiny\"\nmodel = \"alexnet\"\n"
                                   "batch_per_rank = 4\n" +
                                       lines,
                                   {})
                 .checks)
            if (check.severity != spec::Severity::hint && check.field == "fixed.tiny.arguments")
                text += toText(check, "e");
        return text;
    };
    const std::string alone = warnings("tiny.arguments = \"--depth 3\"\n");
    CAPTURE(alone);
    CHECK(alone.find("line 7") != std::string::npos);
    CHECK(alone.find("Arguments: has no effect without tiny.script. Name your script in tiny.script, or remove "
                     "tiny.arguments.") != std::string::npos);
    CHECK(warnings("tiny.arguments = \"--depth 3\"\ntiny.script = \"/home/me/train.py\"\n").empty());
    CHECK(warnings("").empty());
}

TEST_CASE("an option that a script's arguments name has an effect, whatever the driver would need for it")
{
    const std::string pack = "[options.pack]\ntype = \"integer\"\nlabel = \"Pack\"\ndefault = 1\nabout = \"a\"\n"
                             "source = \"s\"\nmatch = { tiny.servers = 7 }\n";
    std::string table = withScripts("\"{tiny.script}\", \"{tiny.arguments}\"");
    const InUse inUse(table.insert(table.find("[[roles]]"), pack));
    const auto levels = [](const std::string& arguments) {
        return matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\ntiny.pack = [1, 2, 4]\n",
                                   "tiny.script = \"/t.py\"\ntiny.arguments = \"" + arguments + "\"\n"))
            .configurations.size();
    };
    CHECK(levels("--pack {tiny.pack}") == 3);
    CHECK(levels("--quiet") == 1);
}

TEST_CASE("arguments of a script are words of their own, and a script has the design of no plan")
{
    const auto outcome = adapters::readAdapter(withScripts("\"sh\", \"-c\", \"exec {tiny.script} {tiny.arguments}\""));
    REQUIRE(spec::hasBlocking(outcome.checks));
    CHECK(outcome.checks.front().message == "the arguments must be words of their own.");
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    const auto matrix = matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\n", "tiny.script = \"/t.py\"\n"));
    CHECK(spec::designOf(matrix.configurations.front().settings).empty());
}

TEST_CASE("a script whose words are the same for several models or batches is refused, since it would not know")
{
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    CHECK(
        scriptFinding("batch_per_rank = [32, 64]\n", "--batch 32") ==
        "factors.batch_per_rank: Batch per rank: it is not the same in all runs, but the script of Tiny is started by "
        "the same words for each, so all would train the same. Name {batch_per_rank} in tiny.arguments.");
    CHECK(scriptFinding("batch_per_rank = [32, 64]\n", "--batch {batch_per_rank}").empty());
    CHECK(scriptFinding("batch_global = [32, 64]\n", "--batch {batch_per_rank}").empty());
    CHECK(scriptFinding("batch_global = [32, 64]\n", "").find("factors.batch_global: ") == 0);
    CHECK(scriptFinding("model = [\"alexnet\", \"vgg16\"]\n", "--batch 4").find("Name {model} in tiny.arguments.") !=
          std::string::npos);
    CHECK(scriptFinding("model = [\"alexnet\", \"vgg16\"]\n", "--net {model}").empty());
    CHECK(scriptFinding("ranks = [1, 2]\n", "--batch 4", kTwoBatches).find("when[0].set.batch_per_rank: ") == 0);
    CHECK(scriptFinding("ranks = [1, 2]\n", "--batch {batch_per_rank}", kTwoBatches).empty());
}

TEST_CASE("a batch that is the same in all runs of a script is what its user says of it")
{
    const InUse inUse(withScripts("\"{tiny.script}\", \"{tiny.arguments}\""));
    CHECK(scriptFinding("ranks = [1, 2]\n", "").empty());
    CHECK(scriptFinding("ranks = [1, 2]\nbatch_global = [64]\n", "").empty()); // which it shares out itself
    CHECK(scriptFinding("tiny.arguments = [\"-b 4\", \"-b 64\"]\n", "",
                        "[[when]]\nmatch = { tiny.arguments = \"-b 64\" }\nset = { batch_per_rank = 64 }\n")
              .empty());
}

TEST_CASE("a script without arguments is given a model by its table")
{
    const std::string models = "model = [\"alexnet\", \"vgg16\"]\n";
    {
        const InUse inUse(withScripts("\"{tiny.script}\""));
        CHECK(scriptFinding(models, "").find("Name {model} in script_command of its table.") != std::string::npos);
    }
    const InUse inUse(withScripts("\"{tiny.script}\", \"{model}\""));
    CHECK(scriptFinding(models, "").empty());
}

TEST_CASE("a script of PyTorch has all variables that torchrun sets, however many ranks there are")
{
    const InUse inUse; // the tables of real systems are among those
    const auto& environment = spec::findSystem("pytorch")->engine.environment;
    for (const char* name : {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                             "GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_NAME", "ROLE_RANK", "ROLE_WORLD_SIZE",
                             "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS"})
        CHECK_MESSAGE(environment.contains(name), name);
}
