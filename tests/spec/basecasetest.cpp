// SPDX-License-Identifier: MIT
#include "core/spec/basecase.h"
#include "tests/spec/examples.h"

using namespace ringside;
using namespace ringside::spec;

namespace {

Value number(std::int64_t value)
{
    return value;
}
Value word(const char* text)
{
    return std::string(text);
}

std::string nameOf(const Experiment& experiment, const Settings& settings)
{
    std::string name;
    for (const Factor& factor : experiment.factors)
        name += (name.empty() ? "" : " ") + toText(settings.at(factor.key));
    return name;
}

/// "2 one <- 1 none": each configuration with the ones that are its base.
std::string bases(const Experiment& experiment, const BaseCase& base)
{
    std::string text;
    const Matrix matrix = expanded(experiment);
    for (const Configuration& of : matrix.configurations) {
        text += nameOf(experiment, of.settings) + " <-";
        for (const Configuration& candidate : matrix.configurations)
            if (isBaseOf(candidate.settings, of.settings, base))
                text += " (" + nameOf(experiment, candidate.settings) + ")";
        text += "\n";
    }
    return text;
}

std::string bases(const Experiment& experiment)
{
    return bases(experiment, baseCase(experiment));
}

/// The same with those alone that are to be taken.
std::string closest(const Experiment& experiment)
{
    const BaseCase base = baseCase(experiment);
    std::string text;
    const Matrix matrix = expanded(experiment);
    for (const Configuration& of : matrix.configurations) {
        text += nameOf(experiment, of.settings) + " <-";
        std::vector<Settings> found;
        for (const Configuration& candidate : matrix.configurations)
            if (isBaseOf(candidate.settings, of.settings, base))
                found.push_back(candidate.settings);
        for (const std::size_t at : closestBases(found, of.settings, base))
            text += " (" + nameOf(experiment, found[at]) + ")";
        text += "\n";
    }
    return text;
}

} // namespace

TEST_CASE("with ranks = 1 every plan has the base with the plan none")
{
    Experiment experiment = smallExperiment();
    CHECK(bases(experiment) == "1 none <- (1 none)\n2 one <- (1 none)\n2 buckets <- (1 none)\n");
}

TEST_CASE("the base shares the other factors")
{
    Experiment experiment = smallExperiment();
    experiment.fixed.erase("model");
    experiment.factors = {{"model", {word("alexnet"), word("resnet50")}}, {"ranks", {number(1), number(2)}}};
    experiment.when = {{{{"model", word("resnet50")}}, {{"batch_per_rank", number(4)}}}};
    CHECK(bases(experiment) == "alexnet 1 <- (alexnet 1)\nalexnet 2 <- (alexnet 1)\n"
                               "resnet50 1 <- (resnet50 1)\nresnet50 2 <- (resnet50 1)\n");
}

TEST_CASE("strong scaling holds the global batch")
{
    Experiment experiment = smallExperiment();
    experiment.fixed.erase("batch_per_rank");
    experiment.factors = {{"batch_global", {number(8), number(16)}}, {"ranks", {number(1), number(2)}}};
    CHECK(bases(experiment) == "8 1 <- (8 1)\n8 2 <- (8 1)\n16 1 <- (16 1)\n16 2 <- (16 1)\n");
}

TEST_CASE("nodes and ranks per node follow from ranks")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"nodes", {number(1), number(2)}}, {"ranks_per_node", {number(1), number(2)}}};
    CHECK(bases(experiment) == "1 1 <- (1 1)\n1 2 <- (1 1)\n2 1 <- (1 1)\n2 2 <- (1 1)\n");
}

TEST_CASE("a rule of nodes keeps the ranks of each")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"nodes", {number(1), number(2)}}, {"ranks_per_node", {number(1), number(2), number(4)}}};
    experiment.base = {{"nodes", number(1)}};
    CHECK(bases(experiment) == "1 1 <- (1 1)\n1 2 <- (1 2)\n1 4 <- (1 4)\n"
                               "2 1 <- (1 1)\n2 2 <- (1 2)\n2 4 <- (1 4)\n");
    CHECK(bases(experiment, baseCase(experiment, {{"nodes", number(1)}, {"ranks", number(1)}})) ==
          "1 1 <- (1 1)\n1 2 <- (1 1)\n1 4 <- (1 1)\n2 1 <- (1 1)\n2 2 <- (1 1)\n2 4 <- (1 1)\n");
}

TEST_CASE("a rule of ranks shares the nodes where they are a factor and there is such a base")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"ranks", {number(2), number(4)}}, {"nodes", {number(1), number(2)}}};
    experiment.base = {{"ranks", number(2)}};
    CHECK(closest(experiment) == "2 1 <- (2 1)\n2 2 <- (2 2)\n4 1 <- (2 1)\n4 2 <- (2 2)\n");
    experiment.factors[0].levels = {number(1), number(2)};
    experiment.exclude = {{{"ranks", number(1)}, {"nodes", number(2)}}};
    experiment.base = {{"ranks", number(1)}};
    CHECK(closest(experiment) == "1 1 <- (1 1)\n2 1 <- (1 1)\n2 2 <- (1 1)\n");
    experiment.exclude.clear();
    experiment.factors = {{"ranks", {number(4), number(8)}}, {"ranks_per_node", {number(2), number(4)}}};
    experiment.base = {{"ranks", number(4)}};
    CHECK(closest(experiment) == "4 2 <- (4 2)\n4 4 <- (4 4)\n8 2 <- (4 2)\n8 4 <- (4 4)\n");
}

TEST_CASE("a rule of the ranks of a node leaves the nodes, or the ranks that the experiment says")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"ranks_per_node", {number(1), number(4)}}};
    experiment.fixed["nodes"] = number(2);
    experiment.base = {{"ranks_per_node", number(1)}};
    CHECK(bases(experiment) == "1 <- (1)\n4 <- (1)\n");
    experiment.fixed.erase("nodes");
    experiment.fixed.erase("batch_per_rank");
    experiment.fixed["ranks"] = number(8);
    experiment.fixed["batch_global"] = number(32);
    experiment.factors = {{"ranks_per_node", {number(2), number(8)}}};
    experiment.base = {{"ranks_per_node", number(8)}};
    CHECK(bases(experiment) == "2 <- (8)\n8 <- (8)\n");
}

TEST_CASE("a conditional that sets a factor leaves it free for a base only where none shares it")
{
    Experiment experiment = smallExperiment();
    experiment.fixed.erase("batch_per_rank");
    experiment.factors = {{"ranks", {number(1), number(2), number(4)}}, {"batch_per_rank", {number(16), number(32)}}};
    experiment.when = {{{{"ranks", number(4)}, {"batch_per_rank", number(32)}}, {{"batch_per_rank", number(24)}}}};
    CHECK(closest(experiment) == "1 16 <- (1 16)\n1 32 <- (1 32)\n2 16 <- (1 16)\n2 32 <- (1 32)\n"
                                 "4 16 <- (1 16)\n4 24 <- (1 16) (1 32)\n");
}

TEST_CASE("a rule may name any factor, and a single rank keeps its plan")
{
    Experiment experiment = smallExperiment();
    experiment.base = {{"plan", word("one")}};
    CHECK(bases(experiment) == "1 none <- (1 none)\n2 one <- (2 one)\n2 buckets <- (2 one)\n");
    CHECK(bases(experiment, baseCase(experiment, {{"ranks", number(2)}, {"plan", word("one")}})) ==
          "1 none <- (2 one)\n2 one <- (2 one)\n2 buckets <- (2 one)\n");
    CHECK(bases(experiment, baseCase(experiment, {{"batch_per_rank", number(16)}})) ==
          "1 none <- (1 none)\n2 one <- (2 one)\n2 buckets <- (2 buckets)\n");
}

TEST_CASE("what a conditional sets by the rule's key may differ; what it sets by another may not")
{
    Experiment experiment = smallExperiment();
    experiment.when = {{{{"ranks", number(2)}}, {{"learning_rate", 0.02}}}};
    CHECK(bases(experiment) == "1 none <- (1 none)\n2 one <- (1 none)\n2 buckets <- (1 none)\n");
    experiment.when = {{{{"plan", word("buckets")}}, {{"learning_rate", 0.02}}}};
    experiment.base = {{"plan", word("one")}};
    CHECK(bases(experiment).find("2 buckets <- (2 one)\n") != std::string::npos);
    experiment.base = {{"ranks", number(2)}, {"precision", word("fp32")}};
    CHECK(bases(experiment).find("2 buckets <- (2 buckets)\n") != std::string::npos);
}

TEST_CASE("a CPU is the base of a GPU, which has more cores unless the experiment says how many")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"device", {word("cpu"), word("cuda")}}};
    experiment.fixed["ranks"] = number(1);
    experiment.base = {{"device", word("cpu")}};
    CHECK(bases(experiment) == "cpu <- (cpu)\ncuda <- (cpu)\n");
    CHECK(bases(experiment, {{{"device", word("cuda")}}, {"cores_per_rank"}}) == "cpu <- (cuda)\ncuda <- (cuda)\n");
    const Matrix matrix = expanded(experiment);
    CHECK(undeclaredDifferences(experiment, matrix.configurations[0].settings, matrix.configurations[1].settings)
              .contains("cores_per_rank"));
    experiment.fixed["cores_per_rank"] = number(2);
    CHECK(bases(experiment) == "cpu <- (cpu)\ncuda <- (cpu)\n");
    experiment.fixed.erase("cores_per_rank");
    experiment.factors.push_back({"cores_per_rank", {number(1), number(4)}});
    CHECK(bases(experiment) == "cpu 1 <- (cpu 1)\ncpu 4 <- (cpu 4)\ncuda 1 <- (cpu 1)\ncuda 4 <- (cpu 4)\n");
}

TEST_CASE("sites are never pooled")
{
    const Experiment experiment = smallExperiment();
    const Matrix here = expanded(experiment);
    const Matrix there = *expand(experiment, "alder");
    const BaseCase base = baseCase(experiment);
    CHECK(isBaseOf(here.configurations[0].settings, here.configurations[1].settings, base));
    CHECK_FALSE(isBaseOf(there.configurations[0].settings, here.configurations[1].settings, base));
}

TEST_CASE("a run made before a setting existed still is a base")
{
    const Experiment experiment = smallExperiment();
    const Matrix matrix = expanded(experiment);
    Settings old = matrix.configurations[0].settings;
    old.erase("dropout");
    CHECK(isBaseOf(old, matrix.configurations[1].settings, baseCase(experiment)));
}

TEST_CASE("no rule or an impossible one is an error, not a guess")
{
    const Settings of = expanded(smallExperiment()).configurations[1].settings;
    CHECK(resolveBase(of, {}).error().text() == "There is no base case. Name one, such as ranks = 1.");
    Settings strong = of;
    strong["batch_global"] = number(32);
    CHECK(resolveBase(strong, {{{"ranks", number(5)}}}).error().text() ==
          "Batch: 32 cannot be divided by 5 ranks. Use 30 or 35.");
    CHECK(resolveBase(of, {{{"ranks", number(0)}}}).error().message.find("expected a whole number") !=
          std::string::npos);
    CHECK_FALSE(isBaseOf(of, of, {}));
}

TEST_CASE("rules are read as typed")
{
    const Experiment of = smallExperiment();
    CHECK(parseRule("ranks=1", of) == Settings{{"ranks", number(1)}});
    CHECK(parseRule(" ranks = 1 , plan=one-overlapped", of) ==
          Settings{{"ranks", number(1)}, {"plan", word("one-overlapped")}});
    CHECK(parseRule("plan = one , ranks = 2", of) == Settings{{"ranks", number(2)}, {"plan", word("one")}});
    CHECK(parseRule("plan=\"one\"", of) == Settings{{"plan", word("one")}});
    CHECK(parseRule("ranks=1,ranks=2", of).error().text() ==
          "“ranks” is given twice. A base case has one level of it.");
    CHECK(parseRule("=1", of).error().message == "“=1” is no rule.");
    CHECK(parseRule("ranks=x", of).error().message ==
          "“ranks=x” is no rule: expected a whole number from 1 to 65,536, found “x”.");
}

TEST_CASE("a rule that is none is answered with those that the experiment has")
{
    Experiment of = smallExperiment();
    const std::string choices = " “" + of.name + "” has ranks=1, ranks=2, plan=one and plan=buckets.";
    CHECK(parseRule("nonsense", of).error().text() == "“nonsense” is no rule." + choices);
    CHECK(parseRule("rank=1", of).error().text() == "“rank=1” is no rule. Did you mean “ranks”?" + choices);
    CHECK(parseRule("ranks", of).error().text() == "“ranks” is no rule. Write ranks=1." + choices);
    CHECK(parseRule("ranks=", of).error().text() == "“ranks=” is no rule: one value is expected." + choices);
    of.factors.clear();
    CHECK(baseChoices(of) == "“" + of.name + "” has no factors.");
    of.factors = {{"batch_per_rank", {}}};
    for (int level = 1; level <= 20; ++level)
        of.factors[0].levels.push_back(number(level));
    CHECK(baseChoices(of).ends_with("batch_per_rank=12, …."));
}

TEST_CASE("a global batch that goes with the base's ranks does not hide the base case")
{
    Experiment experiment = smallExperiment();
    experiment.when = {{{{"ranks", number(1)}}, {{"batch_global", number(64)}}}};
    CHECK(bases(experiment) == "1 none <- (1 none)\n2 one <- (1 none)\n2 buckets <- (1 none)\n");
}

TEST_CASE("what levels set beside the factors is a difference; what follows from the factors is none")
{
    Experiment experiment = smallExperiment();
    const auto differing = [&] {
        const Matrix matrix = expanded(experiment);
        std::string keys;
        for (const auto& [key, values] : undeclaredDifferences(experiment, matrix.configurations.front().settings,
                                                               matrix.configurations.back().settings))
            keys += key + " ";
        return keys;
    };
    CHECK(differing() == ""); // ranks and plan are factors, nodes and ranks per node follow
    experiment.when = {{{{"ranks", number(2)}}, {{"learning_rate", 0.02}, {"nodes", number(2)}}}};
    CHECK(differing() == "learning_rate nodes ");
    experiment.when = {{{{"ranks", number(1)}}, {{"batch_global", number(16)}}}};
    CHECK(differing() == "batch_global ");
    experiment.when.clear();
    std::erase_if(experiment.factors, [](const Factor& factor) { return factor.key == "plan"; });
    experiment.fixed["plan"] = word("buckets");
    CHECK(differing() == ""); // of one rank even a fixed plan is none
}
