// SPDX-License-Identifier: MIT
// Adapters as engines of experiments: which settings a configuration has, and what tells two apart.
#include "core/adapters/offer.h"
#include "core/spec/basecase.h"
#include "core/spec/resolve.h"
#include "core/spec/smallform.h"
#include "core/spec/validate.h"
#include "tests/adapters/tinytable.h"

#include <doctest/doctest.h>
#include <set>

using namespace ringside;
using namespace ringside::adapters;
using namespace ringside::test;

namespace {

/// kTiny, run by the interpreter that is named when it is installed.
std::string byInterpreter(const std::string& head = {})
{
    std::string table = kTiny;
    const std::string command = "command = [\"";
    table.insert(table.find(command) + command.size(), "{python}\", \"");
    return table.insert(table.find("name "), head);
}

EngineOffer offerOf(const InUse& inUse, const InstalledEngines& installed)
{
    for (const EngineOffer& offer : engineOffers(*inUse.book, installed))
        if (offer.name == "tiny")
            return offer;
    return {};
}

} // namespace

TEST_CASE("a configuration of a system has the settings that it knows, its options, and no others")
{
    const InUse inUse;
    const auto matrix =
        matrixOf(experiment("engine = [\"ringside\", \"tiny\"]\nranks = [2]\n", "layout = \"channels_last\"\n"));
    REQUIRE(matrix.configurations.size() == 2);
    const Settings own = matrix.configurations[0].settings, theirs = matrix.configurations[1].settings;
    CHECK(textOf(own, "layout") == "channels_last");
    CHECK(own.count("tiny.servers") == 0);
    CHECK(theirs.count("layout") == 0);
    CHECK(theirs.count("momentum") == 0);
    CHECK(integerOf(theirs, "tiny.servers") == 2);
    CHECK(textOf(theirs, "precision") == "fp32");
    CHECK(textOf(theirs, "plan") == spec::kOwnPlan);
    CHECK(matrix.configurations[1].plan.collective == Collective::none);
    CHECK(spec::designOf(theirs) == "mxnet");
    CHECK(spec::designOf(own).empty());
}

TEST_CASE("what a system does not know makes no configurations of it, and its options make some")
{
    const InUse inUse;
    const auto layouts =
        matrixOf(experiment("engine = [\"tiny\"]\nlayout = [\"contiguous\", \"channels_last\"]\nranks = [2]\n"));
    CHECK(layouts.configurations.size() == 1);
    CHECK(layouts.notes == std::vector<std::string>{"Tiny does not know “Layout”: its runs use its own default."});
    const auto conditional = experiment("engine = [\"tiny\"]\nranks = [1, 2]\n",
                                        "[[when]]\nmatch = { ranks = 2 }\nset = { layout = \"channels_last\" }\n"
                                        "[[when]]\nmatch = { ranks = 4 }\nset = { momentum = 0.5 }\n");
    CHECK(matrixOf(conditional).notes == layouts.notes);
    const auto plans = matrixOf(experiment("engine = [\"tiny\"]\nplan = [\"one\", \"buckets\"]\nranks = [2]\n"));
    CHECK(plans.configurations.size() == 1);
    CHECK(plans.notes == std::vector<std::string>{"Tiny aggregates in its own way: “Plan” has no effect on its runs."});
    CHECK(matrixOf(experiment("engine = [\"tiny\"]\nranks = [2]\n", "plan = \"mxnet\"\n")).notes == plans.notes);
    const auto servers =
        matrixOf(experiment("engine = [\"tiny\", \"ringside\"]\ntiny.servers = [1, 2, 3]\nranks = [2]\n"));
    CHECK(servers.configurations.size() == 4);
    const std::vector<Role> roles = spec::rolesOf(servers.configurations.front().settings);
    REQUIRE(roles.size() == 1);
    CHECK(roles.front() == Role{"server", 1, Placement::shared});
}

TEST_CASE("an option whose levels are all whole numbers is written with quotes or without")
{
    std::string table = kTiny;
    const InUse inUse(table.insert(table.find("[[roles]]"),
                                   "[options.bits]\ntype = \"word\"\nlabel = \"Bits\"\nlevels = [\"32\", \"1\"]\n"
                                   "default = 32\nabout = \"a\"\nsource = \"s\"\n"));
    const auto matrix = matrixOf(experiment("engine = [\"tiny\"]\ntiny.bits = [32, \"1\"]\nranks = [2]\n"));
    REQUIRE(matrix.configurations.size() == 2);
    CHECK(textOf(matrix.configurations[0].settings, "tiny.bits") == "32");
    CHECK(textOf(matrix.configurations[1].settings, "tiny.bits") == "1");
    const auto refusal = [](const std::string& line) {
        const auto checks = spec::validate(experiment("engine = [\"tiny\"]\nranks = [2]\n", line), {});
        return spec::hasBlocking(checks) ? checks.front().message : "";
    };
    CHECK(refusal("tiny.bits = 1\n").empty());
    CHECK(refusal("tiny.bits = 8\n") == "Tiny: Bits: “8” is not known.");
    CHECK(refusal("tiny.bits = 1.0\n").find("expected a word in quotes") != std::string::npos);
    CHECK(refusal("precision = 32\n").find("expected a word in quotes") != std::string::npos);
}

TEST_CASE("a system and Ringside's own engine are compared by what both know")
{
    const InUse inUse;
    const auto both = experiment("engine = [\"ringside\", \"tiny\"]\nplan = [\"ddp\", \"mxnet\"]\n"
                                 "precision = [\"fp32\", \"bf16\"]\nranks = [2]\n",
                                 "layout = \"channels_last\"\nmomentum = 0.5\n");
    const auto matrix = matrixOf(both);
    const auto cell = [&](const char* engine, const char* plan, const char* precision) {
        for (const auto& configuration : matrix.configurations)
            if (spec::matches(configuration.settings, {{"engine", Value(std::string(engine))},
                                                       {"plan", Value(std::string(plan))},
                                                       {"precision", Value(std::string(precision))}}))
                return configuration.settings;
        return Settings();
    };
    const auto base = spec::baseCase(both, {{"engine", Value(std::string("ringside"))}});
    const Settings tiny = cell("tiny", "own", "fp32");
    CHECK(spec::isBaseOf(cell("ringside", "ddp", "fp32"), tiny, base));
    CHECK(spec::isBaseOf(cell("ringside", "mxnet", "fp32"), tiny, base));
    CHECK_FALSE(spec::isBaseOf(cell("ringside", "mxnet", "bf16"), tiny, base));
    CHECK_FALSE(spec::isBaseOf(tiny, tiny, base));
    CHECK(spec::undeclaredDifferences(both, cell("ringside", "mxnet", "fp32"), tiny).empty());

    const auto named =
        spec::baseCase(both, {{"engine", Value(std::string("ringside"))}, {"plan", Value(std::string("mxnet"))}});
    CHECK(spec::isBaseOf(cell("ringside", "mxnet", "fp32"), tiny, named));
    CHECK_FALSE(spec::isBaseOf(cell("ringside", "ddp", "fp32"), tiny, named));

    const auto precise =
        spec::baseCase(both, {{"engine", Value(std::string("ringside"))}, {"precision", Value(std::string("fp32"))}});
    const Settings coarse = cell("ringside", "ddp", "bf16"); // of the same engine: its plan stays
    CHECK(spec::isBaseOf(cell("ringside", "ddp", "fp32"), coarse, precise));
    CHECK_FALSE(spec::isBaseOf(cell("ringside", "mxnet", "fp32"), coarse, precise));
}

TEST_CASE("an option can be as many as there are ranks, and speed-ups do not mind")
{
    std::string table = kTiny;
    table.replace(table.find("default = 2"), 11, "default = \"{ranks}\"\nleast_ranks = 2");
    const InUse inUse(table);
    const auto serversOf = [](const spec::Experiment& experiment) {
        std::map<std::int64_t, std::optional<std::int64_t>> found;
        for (const auto& configuration : matrixOf(experiment).configurations)
            found[*integerOf(configuration.settings, "ranks")] = integerOf(configuration.settings, "tiny.servers");
        return found;
    };
    using Servers = std::map<std::int64_t, std::optional<std::int64_t>>;
    const auto derived = experiment("engine = [\"tiny\"]\nranks = [1, 2, 4]\n");
    CHECK(serversOf(derived) == Servers{{1, {}}, {2, 2}, {4, 4}});
    CHECK(serversOf(experiment("engine = [\"tiny\"]\nnodes = [2, 3]\n", "ranks_per_node = 2\n")) ==
          Servers{{4, 4}, {6, 6}});
    const auto said = experiment("engine = [\"tiny\"]\nranks = [2, 4]\n", "tiny.servers = 1\n");
    CHECK(serversOf(said) == Servers{{2, 1}, {4, 1}});

    const auto cell = [](const spec::Experiment& experiment, std::int64_t ranks) {
        for (const auto& configuration : matrixOf(experiment).configurations)
            if (integerOf(configuration.settings, "ranks") == ranks)
                return configuration.settings;
        return Settings();
    };
    const Settings two = cell(derived, 2), four = cell(derived, 4);
    CHECK(spec::rolesOf(four).front().count == 4);
    const auto base = spec::baseCase(derived, {{"ranks", Value(std::int64_t(2))}});
    CHECK(spec::isBaseOf(two, four, base));
    CHECK(spec::isBaseOf(cell(derived, 1), four, spec::baseCase(derived, {{"ranks", Value(std::int64_t(1))}})));
    CHECK(spec::undeclaredDifferences(derived, two, four).empty());
    const auto saidBase = spec::baseCase(said, {{"ranks", Value(std::int64_t(2))}});
    CHECK(spec::isBaseOf(cell(said, 2), cell(said, 4), saidBase));
    CHECK_FALSE(spec::isBaseOf(two, cell(said, 4), saidBase)); // 2 servers are not the 1 that is said
    CHECK_FALSE(spec::isBaseOf(cell(said, 2), four, base));    // nor is 1 what 2 ranks have by default
    CHECK(spec::undeclaredDifferences(derived, cell(said, 2), four).contains("tiny.servers"));

    const auto conditional = experiment("engine = [\"tiny\"]\nranks = [2, 4]\nprecision = [\"fp32\", \"fp16\"]\n",
                                        "[[when]]\nmatch = { precision = \"fp16\" }\nset = { tiny.servers = 1 }\n");
    CHECK(spec::isBaseOf(cell(conditional, 2), cell(conditional, 4), spec::baseCase(conditional, base.rule)));
    const auto many = spec::expand(experiment("engine = [\"tiny\"]\nranks = [65]\n"));
    CHECK(!many); // more servers than its table allows
}

TEST_CASE("a site without a system, or with another version of it, is reported before anything starts")
{
    const InUse inUse(byInterpreter("versions = \">=2\"\n"));
    const auto finding = [](std::optional<std::map<std::string, std::string>> engines) {
        spec::SiteLimits site;
        site.engines = std::move(engines);
        const auto checks = spec::validate(experiment("engine = [\"tiny\"]\nranks = [1]\n"), site);
        return toText(checks.front());
    };
    CHECK(finding(std::nullopt).find("Tiny") == std::string::npos);
    CHECK(finding({{{"tiny", "2.1"}}}).find("Tiny") == std::string::npos);
    CHECK(finding({{{"tiny", "1.9"}}}).find("Tiny 1.9 is on this computer, and its table is for >=2") !=
          std::string::npos);
    CHECK(finding({{{"tiny", ""}}}).find("Tiny") == std::string::npos); // nothing is known of its version
    CHECK(finding({{{"other", "1"}}}).find("this computer has no Tiny") != std::string::npos);
    spec::SiteLimits gone;
    gone.engines.emplace();
    gone.goneInterpreters.emplace("tiny", "/opt/tiny/python");
    CHECK(toText(spec::validate(experiment("engine = [\"tiny\"]\nranks = [1]\n"), gone).front())
              .find("Tiny on this computer ran with “/opt/tiny/python”, which is gone") != std::string::npos);
}

TEST_CASE("a system whose command names its programs is ready, and one with an interpreter once that is named")
{
    {
        const InUse inUse;
        CHECK(offerOf(inUse, {}).state == EngineState::ready);
        const auto installation = installationOf(*inUse.book, "tiny");
        REQUIRE(installation);
        CHECK_FALSE(*installation);
        spec::SiteLimits bare;
        bare.engines.emplace();
        for (const spec::Check& check : spec::validate(experiment("engine = [\"tiny\"]\nranks = [1]\n"), bare))
            CHECK(toText(check).find("has no Tiny") == std::string::npos);
    }
    const InUse inUse(byInterpreter("versions = \">=2\"\n"));
    CHECK(offerOf(inUse, {}).state == EngineState::installable);
    const auto installation = installationOf(*inUse.book, "tiny");
    REQUIRE((installation && *installation));
    CHECK((*installation)->takesWhatIsThere());
    const EngineOffer ready = offerOf(inUse, {{"tiny", {.version = {}, .python = "/usr/bin/python3"}}});
    CHECK(ready.state == EngineState::ready);
    CHECK(ready.reason == "It is run by /usr/bin/python3.");
    CHECK(offerOf(inUse, {{"tiny", {.version = "1.9", .python = "/usr/bin/python3"}}}).state ==
          EngineState::installable);
}

TEST_CASE("an option of an engine that no run has is said to have no effect")
{
    const InUse inUse;
    const auto says = [](const std::string& factors) {
        return std::ranges::any_of(spec::validate(experiment(factors, "tiny.servers = 3\n")), [](const auto& check) {
            return check.message.find("has no effect, because no run has an engine") != std::string::npos;
        });
    };
    CHECK(says("ranks = [1]\n"));
    CHECK_FALSE(says("engine = [\"tiny\", \"ringside\"]\nranks = [1]\n"));
}

TEST_CASE("the small form asks the engines that are here, and never another one in their place")
{
    const InUse inUse(byInterpreter());
    spec::SiteLimits here;
    here.engines.emplace();
    const auto small = [&](const std::string& factors, const std::string& rest = {}) {
        return spec::smallForm(experiment(factors, rest), here);
    };
    CHECK(small("engine = [\"tiny\", \"ringside\"]\n").factor("engine")->levels ==
          std::vector<Value>{std::string("ringside")});
    CHECK(small("engine = [\"tiny\"]\n").factor("engine")->levels == std::vector<Value>{std::string("tiny")});
    CHECK(textOf(small("ranks = [1]\n", "engine = \"tiny\"\n").fixed, "engine") == "tiny");
}

TEST_CASE("engines that the small form leaves out are named, and their options go with them")
{
    const InUse inUse(byInterpreter());
    spec::SiteLimits here;
    here.engines.emplace();
    const spec::Experiment asked = experiment("engine = [\"tiny\", \"ringside\"]\n", "tiny.servers = 3\n");
    const spec::Experiment small = spec::smallForm(asked, here);
    CHECK_FALSE(small.fixed.contains("tiny.servers"));
    const auto leftOut = spec::leftOutOfSmallForm(asked, here);
    REQUIRE(leftOut.size() == 1);
    CHECK(leftOut.front().severity == spec::Severity::hint);
    CHECK(spec::toText(leftOut.front()) ==
          "Engine: Tiny is left out of the small form: this computer does not have it. To install: ringside-cli "
          "engine install tiny.");
    CHECK(spec::leftOutOfSmallForm(experiment("engine = [\"tiny\"]\n"), here).empty()); // check says what is missing
    here.engines->emplace("tiny", "1.4");
    CHECK(spec::leftOutOfSmallForm(asked, here).empty());
    CHECK(spec::smallForm(asked, here).fixed.contains("tiny.servers"));
}

TEST_CASE("servers are for several ranks, and one rank aggregates nothing")
{
    const InUse inUse;
    const auto matrix = matrixOf(experiment("engine = [\"tiny\"]\nranks = [1]\n"));
    CHECK(spec::rolesOf(matrix.configurations.front().settings).empty());
    CHECK(textOf(matrix.configurations.front().settings, "plan") == "none");
}

TEST_CASE("an option makes no configurations where it has no effect, and the matrix says where it has one")
{
    const InUse tables(std::string(kTiny) + kCompression + R"([options.threshold]
type = "real"
label = "Threshold"
default = 0.5
about = "Of 2bit."
source = "its manual"
match = { tiny.compression = "2bit" }
)");
    const spec::Experiment asked =
        experiment("engine = [\"tiny\"]\nranks = [1, 2]\ntiny.compression = [\"none\", \"2bit\"]\n"
                   "tiny.threshold = [0.5, 0.7]\n",
                   "[base]\nranks = 1\n");
    const spec::Matrix matrix = matrixOf(asked);
    std::set<std::string> told;
    for (const spec::Configuration& cell : matrix.configurations) {
        const auto compression = textOf(cell.settings, "tiny.compression");
        const auto threshold = numberOf(cell.settings, "tiny.threshold");
        told.insert(fmt::format("{} {} {}", *integerOf(cell.settings, "ranks"), compression.value_or("-"),
                                threshold.value_or(0)));
        CHECK(spec::resolve(cell.settings).value() == cell.settings);
        CHECK(spec::isBaseOf(matrix.configurations.front().settings, cell.settings, spec::baseCase(asked)));
        CHECK(spec::undeclaredDifferences(experiment("ranks = [1, 2]\n"), matrix.configurations.front().settings,
                                          cell.settings)
                  .count("tiny.compression") == 0);
        CHECK(spec::designOf(cell.settings) == "mxnet");
    }
    CHECK(told == std::set<std::string>{"1 - 0", "2 none 0", "2 2bit 0.5", "2 2bit 0.7"});
    REQUIRE(matrix.notes.size() == 2);
    CHECK(matrix.notes.front() ==
          "“Tiny: Compression” has an effect only on 2 ranks or more. Elsewhere its levels are one "
          "configuration.");
    CHECK(matrix.notes.back().find("only with tiny.compression = 2bit.") != std::string::npos);

    const Engine& engine = spec::findSystem("tiny")->engine;
    CHECK(engine.standards ==
          std::map<std::string, std::string>{{"tiny.compression", "none"}, {"tiny.threshold", "0.5"}});
}

TEST_CASE("an option that has no effect in any run is said to have none, and where it has one")
{
    const InUse tables(std::string(kTiny) + kCompression);
    const auto checks = spec::validate(experiment("engine = [\"tiny\"]\n", "tiny.compression = \"2bit\"\n"), {});
    CHECK(std::ranges::any_of(checks, [](const spec::Check& check) {
        return check.field == "fixed.tiny.compression" &&
               check.message ==
                   "Tiny: Compression: has no effect in any of these runs. It has one only on 2 ranks or more.";
    }));
}

TEST_CASE("a base case that leaves open which runs of another engine it means is said before anything is run")
{
    const InUse tables;
    const auto warningOf = [](const std::string& plans) {
        const auto asked = experiment("engine = [\"ringside\", \"tiny\"]\nranks = [1, 2]\nplan = " + plans + "\n",
                                      "[base]\nengine = \"ringside\"\n");
        for (const spec::Check& check : spec::validate(asked, {}))
            if (check.message.find("stands for runs with") != std::string::npos)
                return check.message + " " + check.hint;
        return std::string();
    };
    CHECK(warningOf("[\"one\", \"buckets\"]") ==
          "Base case: engine = ringside stands for runs with plan = buckets and plan = one, so there is no speed-up of "
          "Tiny. Name one of them as well: engine = ringside, plan = buckets.");
    CHECK(warningOf("[\"one\", \"mxnet\"]").empty()); // its design
    CHECK(warningOf("[\"one\"]").empty());
}

TEST_CASE("combinations that a system cannot do are left out, and the matrix says why")
{
    const InUse inUse;
    const auto matrix = matrixOf(experiment("engine = [\"tiny\", \"ringside\"]\nprecision = [\"fp32\", \"bf16\"]\n"));
    CHECK(matrix.configurations.size() == 3);
    CHECK(matrix.excluded.size() == 1);
    REQUIRE(matrix.notes.size() == 1);
    CHECK(matrix.notes.front() == "1 combination is left out for Tiny: It has no bf16.");

    const auto models = matrixOf(experiment("engine = [\"tiny\"]\nmodel = [\"alexnet\", \"vgg16\"]\n"));
    CHECK(models.configurations.size() == 1);
    CHECK(models.notes.front() == "1 combination is left out for Tiny: Ringside does not drive it with “VGG-16”.");
}

TEST_CASE("what a system cannot do but with some levels is left out with all others")
{
    const InUse tables;
    const auto matrix = matrixOf(experiment("engine = [\"tiny\"]\nmodel = [\"lenet\"]\nimage_size = [28, 64, 224]\n"));
    CHECK(matrix.configurations.size() == 2);
    CHECK(matrix.notes.front() == "1 combination is left out for Tiny: Its pooling does not fit.");

    const auto sizes = matrixOf(experiment("engine = [\"tiny\"]\nmodel = [\"alexnet\"]\nimage_size = [63, 64]\n"));
    CHECK(sizes.configurations.size() == 1);
    CHECK(sizes.notes.front() == "1 combination is left out for Tiny: Its last pooling would be of nothing.");
}

TEST_CASE("keys of Ringside's own configurations do not change because there are systems")
{
    const auto key = [] { return matrixOf(experiment("ranks = [2]\n")).configurations.front().key; };
    const std::string before = key();
    const InUse inUse;
    CHECK(key() == before);
}

TEST_CASE("an engine or an option that is not known is refused with what is")
{
    const InUse inUse;
    const auto findings = [](const std::string& factors) {
        const auto outcome = spec::checkExperiment("format = 1\nname = \"e\"\n[factors]\n" + factors +
                                                   "[fixed]\nmodel = \"alexnet\"\nbatch_per_rank = 4\n");
        return outcome.checks.empty() ? std::string() : toText(outcome.checks.front());
    };
    CHECK(findings("engine = [\"tiy\"]\n").find("Did you mean “tiny”?") != std::string::npos);
    const std::string farOff = findings("engine = [\"torch\"]\n");
    CAPTURE(farOff);
    CHECK(farOff.find("“torch” is not known. Known are ringside, ") != std::string::npos);
    CHECK(farOff.find("ringside-cli engine list") != std::string::npos);
    CHECK(findings("engine = [\"tiny\"]\ntiny.server = [1]\n").find("Did you mean “tiny.servers”?") !=
          std::string::npos);
    CHECK(findings("engine = [\"tiny\"]\ntiny.servers = [65]\n").find("from 1 to 64") != std::string::npos);
}

TEST_CASE("a user's table replaces the one that has its name, and a broken one stays in the list")
{
    std::string table = kTiny;
    table.replace(table.find("tiny"), 4, "pytorch");
    for (std::size_t at; (at = table.find("{tiny.")) != std::string::npos;)
        table.replace(at, 6, "{pytorch.");
    const InUse inUse(table);
    REQUIRE(inUse.book->find("pytorch"));
    CHECK(inUse.book->find("pytorch")->title == "Tiny");

    const InUse broken("format = 1\n");
    const auto& entries = broken.book->entries();
    const auto found = std::ranges::find(entries, "tiny", &AdapterBook::Entry::name);
    REQUIRE(found != entries.end());
    CHECK_FALSE(found->outcome.adapter);
    CHECK(found->outcome.checks.size() > 0);
    CHECK_FALSE(broken.book->find("tiny"));
    CHECK(spec::refusalOf("tiny").find("tiny.toml, line 1") != std::string::npos);
    const auto installation = installationOf(*broken.book, "tiny");
    REQUIRE_FALSE(installation);
    CHECK(installation.error().message.starts_with("The table of “tiny” cannot be read: "));
    CHECK(installation.error().message.find("tiny.toml, line 1") != std::string::npos);
    CHECK(broken.book->find("pytorch"));
}

TEST_CASE("two of a user's tables with one name are refused, and the refusal names both files")
{
    InUse inUse;
    for (const char* file : {"another.toml", "zebra.toml"}) {
        REQUIRE(writeFileAtomically(inUse.folder.path() / file, kTiny));
        const AdapterBook book(inUse.folder.path());
        CHECK_FALSE(book.find("tiny"));
        const auto refusals = book.refusals();
        REQUIRE(refusals.size() == 1);
        CHECK(refusals.front().find((inUse.folder.path() / "another.toml").string() + ": ") == 0);
        CHECK(refusals.front().find(" has the name “tiny”, too. Change ") != std::string::npos);
        book.use();
        CHECK(spec::refusalOf("tiny").find("has the name “tiny”, too") != std::string::npos);
    }
    std::error_code none;
    fs::remove(inUse.folder.path() / "another.toml", none);
    fs::remove(inUse.folder.path() / "zebra.toml", none);
    CHECK(AdapterBook(inUse.folder.path()).find("tiny"));
}

TEST_CASE("a user's table with a fault stands for the one that it replaces")
{
    const std::string head = "format = 1\nname = \"mxnet\"\ntitle = \"Mine\"\n";
    for (const char* fault : {"settngs = []\n[launch]\ncommand = [\"x\"]\n", "[launch]\ncommand = [\"x]\n"}) {
        CAPTURE(fault);
        const InUse inUse(head + fault);
        CHECK_FALSE(inUse.book->find("mxnet"));
        CHECK(spec::refusalOf("mxnet").find("tiny.toml, line ") != std::string::npos);
        const auto outcome = spec::checkExperiment("format = 1\nname = \"e\"\n[factors]\nengine = [\"mxnet\"]\n"
                                                   "[fixed]\nmodel = \"alexnet\"\nbatch_per_rank = 4\n");
        REQUIRE_FALSE(outcome.checks.empty());
        CHECK(toText(outcome.checks.front()).find("tiny.toml, line ") != std::string::npos);
    }
}

TEST_CASE("an experiment of which an engine can do nothing is refused with what it cannot do")
{
    const InUse tables;
    const auto firstOf = [](const std::string& factors, const std::string& fixed) {
        for (const spec::Check& check : spec::validate(experiment(factors, fixed), {}))
            if (check.severity == spec::Severity::blocking)
                return check.message;
        return std::string();
    };
    const auto asked = experiment("ranks = [1]\n", "engine = \"tiny\"\nprecision = \"bf16\"\n");
    CHECK(firstOf("ranks = [1]\n", "engine = \"tiny\"\nprecision = \"bf16\"\n") ==
          "Every combination is left out for Tiny: It has no bf16.");
    REQUIRE_FALSE(spec::expand(asked));
    CHECK(spec::expand(asked).error().message == "Every combination is left out for Tiny: It has no bf16.");
    CHECK(firstOf("ranks = [1]\n", "precision = \"fp16\"\n") ==
          "Every combination is left out for Ringside: It computes in fp32 and bf16.");
    const auto some = matrixOf(experiment("ranks = [1]\nprecision = [\"fp32\", \"fp16\"]\n"));
    CHECK(some.configurations.size() == 1);
    CHECK(some.notes.front() == "1 combination is left out for Ringside: It computes in fp32 and bf16.");
}
