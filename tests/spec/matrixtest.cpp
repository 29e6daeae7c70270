// SPDX-License-Identifier: MIT
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "tests/spec/examples.h"

#include <map>
#include <set>

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

/// "ranks=1 plan=none | ranks=2 plan=one | …" of the settings named.
std::string table(const Matrix& matrix, const std::vector<std::string>& keys)
{
    std::string text;
    for (const Configuration& configuration : matrix.configurations) {
        text += text.empty() ? "" : " | ";
        for (const std::string& key : keys) {
            const auto found = configuration.settings.find(key);
            text += (key == keys.front() ? "" : " ") +
                    (found == configuration.settings.end() ? "-" : toText(found->second));
        }
    }
    return text;
}

} // namespace

TEST_CASE("every combination is a configuration, the last factor varying fastest; on one rank plans coincide")
{
    const Matrix matrix = expanded(smallExperiment());
    CHECK(table(matrix, {"ranks", "plan"}) == "1 none | 2 one | 2 buckets");
    CHECK(matrix.configurations[0].plan == AggregationPlan{});
    CHECK(matrix.configurations[2].plan == findBuiltInPlan("buckets")->plan);
    CHECK(matrix.configurations[1].iterations == 20);
    CHECK(matrix.configurations[1].warmup == 5);
    CHECK(matrix.notes.size() == 1);
}

TEST_CASE("settings are resolved: defaults filled in, site among them, nothing left open")
{
    const Matrix matrix = expanded(smallExperiment());
    for (const Configuration& configuration : matrix.configurations) {
        for (const Setting& setting : schema())
            if (setting.key != "batch_global" && setting.key != "data_path")
                CHECK_MESSAGE(configuration.settings.count(setting.key), setting.key);
        CHECK(textOf(configuration.settings, "site") == "local");
    }
    Experiment elsewhere = smallExperiment();
    elsewhere.site = "alder";
    CHECK(textOf(expanded(elsewhere).configurations[0].settings, "site") == "alder");
    CHECK(textOf(expand(elsewhere, "birch")->configurations[0].settings, "site") == "birch");
}

TEST_CASE("a rank has a core, and four where it computes on a GPU, unless the experiment says otherwise")
{
    Experiment experiment = smallExperiment();
    const auto coresOf = [](const Experiment& e) {
        return integerOf(expanded(e).configurations.back().settings, "cores_per_rank");
    };
    CHECK(coresOf(experiment) == 1);
    experiment.fixed["device"] = word("cuda");
    CHECK(coresOf(experiment) == 4);
    experiment.fixed["cores_per_rank"] = number(2);
    CHECK(coresOf(experiment) == 2);
    experiment.fixed.erase("device");
    experiment.fixed.erase("cores_per_rank");
    experiment.factors.push_back({"device", {word("cpu"), word("cuda")}});
    CHECK(coresOf(experiment) == 4);
    experiment.factors.back().levels = {word("cuda"), word("cpu")};
    CHECK(coresOf(experiment) == 1);
    CHECK(standardCores("cpu") == 1);
    CHECK(standardCores("cuda") == 4);
}

TEST_CASE("of nodes, ranks and ranks per node any two fix the third")
{
    const struct
    {
        Settings said;
        std::string world; ///< ranks, nodes, ranks per node; or the error
    } rows[] = {
        {{}, "1 1 1"},
        {{{"ranks", number(4)}}, "4 1 4"},
        {{{"ranks", number(4)}, {"nodes", number(2)}}, "4 2 2"},
        {{{"ranks", number(4)}, {"ranks_per_node", number(1)}}, "4 4 1"},
        {{{"nodes", number(3)}, {"ranks_per_node", number(2)}}, "6 3 2"},
        {{{"nodes", number(3)}}, "3 3 1"},
        {{{"ranks_per_node", number(3)}}, "3 1 3"},
        {{{"ranks", number(6)}, {"nodes", number(3)}, {"ranks_per_node", number(2)}}, "6 3 2"},
        {{{"ranks", number(8)}, {"nodes", number(3)}, {"ranks_per_node", number(2)}},
         "Ranks: 8 is not 3 nodes with 2 ranks each. Use 6, or leave one of the three out."},
        {{{"ranks", number(5)}, {"nodes", number(2)}}, "Ranks: 5 cannot be divided by 2 nodes. Use 4 or 6."},
        {{{"nodes", number(65'536)}, {"ranks_per_node", number(2)}},
         "Ranks: expected a whole number from 1 to 65,536, found “131072”."},
    };
    for (const auto& row : rows) {
        CAPTURE(row.world);
        Experiment experiment = smallExperiment();
        experiment.factors.clear();
        experiment.fixed.insert(row.said.begin(), row.said.end());
        const auto matrix = expand(experiment);
        CHECK((matrix ? table(*matrix, {"ranks", "nodes", "ranks_per_node"}) : matrix.error().text()) == row.world);
    }
}

TEST_CASE("a global batch is shared out and stays; it is what makes scaling strong")
{
    Experiment experiment = smallExperiment();
    CHECK(expanded(experiment).scaling == Scaling::weak);
    CHECK(table(expanded(experiment), {"batch_per_rank", "batch_global"}) == "16 - | 16 - | 16 -");

    experiment.fixed.erase("batch_per_rank");
    experiment.fixed["batch_global"] = number(8);
    CHECK(expanded(experiment).scaling == Scaling::strong);
    CHECK(table(expanded(experiment), {"batch_per_rank", "batch_global"}) == "8 8 | 4 8 | 4 8");

    experiment.when = {{{{"ranks", number(2)}}, {{"batch_per_rank", number(4)}}}};
    CHECK(expanded(experiment).scaling == Scaling::mixed);
    CHECK(table(expanded(experiment), {"batch_per_rank", "batch_global"}) == "8 8 | 4 - | 4 -");

    experiment.factors[0].levels = {number(2)};
    CHECK(expanded(experiment).scaling == Scaling::none);

    experiment = smallExperiment();
    experiment.factors[0].levels = {number(8)};
    experiment.fixed.erase("batch_per_rank");
    experiment.fixed["batch_global"] = number(100);
    CHECK(errorOf(experiment) == "Batch: 100 cannot be divided by 8 ranks. Use 96 or 104.");
    experiment.fixed["batch_global"] = number(3);
    CHECK(errorOf(experiment) == "Batch: 3 cannot be divided by 8 ranks. Use 8.");
}

TEST_CASE("conditionals go with a level, in order, and see what was derived")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"nodes", {number(1), number(2)}}};
    experiment.fixed["ranks_per_node"] = number(2);
    experiment.when = {{{{"ranks", number(4)}}, {{"learning_rate", 0.04}}},
                       {{{"learning_rate", 0.04}, {"data", word("synthetic")}}, {{"momentum", 0.5}}}};
    CHECK(table(expanded(experiment), {"ranks", "learning_rate", "momentum"}) == "2 0.01 0.9 | 4 0.04 0.5");
}

TEST_CASE("exclusions take combinations away, before and after plans collapse")
{
    Experiment experiment = smallExperiment();
    experiment.exclude = {{{"ranks", number(2)}, {"plan", word("one")}}};
    CHECK(table(expanded(experiment), {"ranks", "plan"}) == "1 none | 2 buckets");
    CHECK(expanded(experiment).excluded.size() == 1);

    experiment.exclude = {{{"ranks", number(1)}, {"plan", word("one")}}}; // the other plan still makes it
    CHECK(table(expanded(experiment), {"ranks", "plan"}) == "1 none | 2 one | 2 buckets");

    experiment.exclude = {{{"plan", word("none")}}};
    CHECK(table(expanded(experiment), {"ranks", "plan"}) == "2 one | 2 buckets");
    CHECK(expanded(experiment).excluded.size() == 1);

    experiment.exclude = {{{"model", word("alexnet")}}};
    CHECK(errorOf(experiment) == "Every combination is excluded. Remove an exclusion.");
}

TEST_CASE("an excluded combination need not be possible")
{
    Experiment experiment = smallExperiment();
    experiment.factors[0].levels = {number(1), number(3)};
    experiment.fixed.erase("batch_per_rank");
    experiment.fixed["batch_global"] = number(8);
    experiment.exclude = {{{"ranks", number(3)}}};
    CHECK(table(expanded(experiment), {"ranks"}) == "1");
}

TEST_CASE("excluding what the editor unticks takes just that row away")
{
    Experiment experiment = smallExperiment();
    const Matrix before = expanded(experiment);
    for (const Configuration& row : before.configurations) {
        experiment.exclude.assign(1, Settings());
        for (const Factor& factor : experiment.factors)
            experiment.exclude.front()[factor.key] = row.settings.at(factor.key);
        const Matrix after = expanded(experiment);
        CHECK(after.configurations.size() == before.configurations.size() - 1);
        for (const Configuration& left : after.configurations)
            CHECK(left.key != row.key);
    }
}

TEST_CASE("runs are interleaved: a repeat of every configuration, then the next")
{
    Experiment experiment = smallExperiment();
    experiment.runs.repeats = 2;
    const std::vector<PlannedRun> expected = {{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    CHECK(expanded(experiment).runs == expected);
}

TEST_CASE("a random order shuffles inside a repeat, by the seed, the same on every platform")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"ranks", {number(1), number(2), number(3), number(4), number(5)}}};
    experiment.runs.order = RunOrder::random;
    experiment.runs.repeats = 3;
    const auto order = [&](std::uint64_t seed) {
        experiment.runs.seed = seed;
        std::string text;
        for (const PlannedRun& run : expanded(experiment).runs)
            text += std::to_string(run.repeat) + std::string(1, static_cast<char>('a' + run.configuration)) + " ";
        return text;
    };
    CHECK(order(1) == "1b 1e 1a 1c 1d 2b 2c 2a 2e 2d 3d 3c 3a 3b 3e ");
    CHECK(order(1) == order(1));
    CHECK(order(1) != order(2));
    const Matrix matrix = expanded(experiment);
    for (std::size_t block = 0; block < 3; ++block) {
        std::set<std::size_t> seen;
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(matrix.runs[block * 5 + i].repeat == static_cast<int>(block) + 1);
            seen.insert(matrix.runs[block * 5 + i].configuration);
        }
        CHECK(seen.size() == 5);
    }
}

TEST_CASE("every order of three comes about equally often")
{
    Experiment experiment = smallExperiment();
    experiment.runs.order = RunOrder::random;
    experiment.runs.repeats = 3'000;
    std::map<std::vector<std::size_t>, int> counts;
    const Matrix matrix = expanded(experiment);
    for (std::size_t i = 0; i < matrix.runs.size(); i += 3)
        ++counts[{matrix.runs[i].configuration, matrix.runs[i + 1].configuration, matrix.runs[i + 2].configuration}];
    REQUIRE(counts.size() == 6);
    for (const auto& [order, count] : counts)
        CHECK(std::abs(count - 500) < 120); // 500 ± 6 standard deviations
}

TEST_CASE("keys are what they were: a change here would cut every store off from its runs")
{
    const Matrix matrix = expanded(smallExperiment());
    CHECK(matrix.configurations[0].key == "9399e38f-0cae-59f9-af72-e57851c16024");
    CHECK(matrix.configurations[2].key == "fde39f48-7c49-546d-b6fb-a4a8e387b871");
}

TEST_CASE("a key follows what is measured, not how it was said")
{
    const Experiment experiment = smallExperiment();
    const auto keyOf = [](const Experiment& e) { return expanded(e).configurations.back().key; };
    const std::string key = keyOf(experiment);
    const auto changed = [&](auto change) {
        Experiment other = experiment;
        change(other);
        return keyOf(other) != key;
    };
    CHECK_FALSE(changed([](Experiment& e) { e.name = "other"; }));
    CHECK_FALSE(changed([](Experiment& e) { e.runs.repeats = 9; }));
    CHECK_FALSE(changed([](Experiment& e) { e.runs.hungAfterSeconds = 600; }));
    CHECK_FALSE(changed([](Experiment& e) { e.fixed["precision"] = word("fp32"); }));
    CHECK_FALSE(changed([](Experiment& e) { e.fixed["nodes"] = number(1); }));
    CHECK_FALSE(changed([](Experiment& e) { std::reverse(e.factors.begin(), e.factors.end()); }));
    CHECK_FALSE(changed([](Experiment& e) { e.plans["buckets"] = findBuiltInPlan("buckets")->plan; }));
    CHECK(changed([](Experiment& e) { e.fixed["precision"] = word("bf16"); }));
    CHECK(changed([](Experiment& e) { e.fixed["learning_rate"] = 0.02; }));
    CHECK(changed([](Experiment& e) { e.site = "alder"; }));
    CHECK(changed([](Experiment& e) { e.runs.iterations = 21; }));
    CHECK(changed([](Experiment& e) { e.runs.warmup = 6; }));
    CHECK(changed([](Experiment& e) {
        e.plans["buckets"] = findBuiltInPlan("buckets")->plan;
        e.plans["buckets"].bucketCapBytes = 1u << 20;
    }));
}

TEST_CASE("0 and 0.0 are one level of a real setting, in a file and in its key")
{
    const char* head = "format=1\nname='x'\n[fixed]\nmodel='lenet'\nbatch_per_rank=4\n[factors]\nmomentum=";
    const auto whole = parseExperiment(std::string(head) + "[0]");
    const auto real = parseExperiment(std::string(head) + "[0.0]");
    CHECK(expanded(*whole).configurations[0].key == expanded(*real).configurations[0].key);
}

TEST_CASE("2.0 for a whole number makes no run, among levels, fixed or as a pattern")
{
    const char* head = "format=1\nname='x'\n[fixed]\nmodel='lenet'\n";
    for (const char* rest : {"batch_per_rank=4\n[factors]\nranks=[1, 2.0]\n", "batch_per_rank=2.0\n",
                             "batch_per_rank=4\n[factors]\nranks=[1, 2]\n[[exclude]]\nranks=2.0\n"}) {
        CAPTURE(rest);
        const auto experiment = parseExperiment(std::string(head) + rest);
        REQUIRE(experiment);
        const std::string said = errorOf(*experiment);
        CHECK_MESSAGE(said.find("found “2.0”. Write 2.") != std::string::npos, said);
    }
}

TEST_CASE("too much is refused in numbers, and quickly")
{
    Experiment experiment = smallExperiment();
    std::vector<Value> many;
    for (std::int64_t i = 1; i <= 1'000; ++i)
        many.push_back(number(i));
    experiment.factors = {{"ranks", many}, {"plan", {word("one"), word("buckets"), word("buckets-after")}}};
    CHECK(errorOf(experiment) == "2,998 configurations × 6 repeats = 17,988 runs; at most 10,000 are allowed. Exclude "
                                 "combinations or remove levels.");
    experiment.runs.repeats = 1;
    CHECK(errorOf(experiment) ==
          "2,998 configurations; at most 2,000 are allowed. Exclude combinations or remove levels.");
    experiment.factors.push_back({"cores_per_rank", many});
    CHECK(errorOf(experiment) ==
          "The levels make 3,000,000 combinations; at most 20,000 are looked at. Remove levels.");
    for (const char* key : {"image_size", "decode_threads", "batch_per_rank", "prefetch", "nodes", "ranks_per_node"})
        experiment.factors.push_back({key, many});
    CHECK(combinationCount(experiment) == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("a hostile number of exclusions is refused rather than tried")
{
    Experiment experiment = smallExperiment();
    std::vector<Value> many;
    for (std::int64_t i = 1; i <= 1'000; ++i)
        many.push_back(number(i));
    experiment.factors = {{"ranks", many}, {"prefetch", {number(1), number(2), number(3)}}};
    experiment.exclude.assign(1'000, {{"ranks", number(1)}});
    CHECK(errorOf(experiment) == "1,000 conditionals and exclusions are too many for 3,000 combinations. Remove levels "
                                 "rather than excluding them one by one.");
}

TEST_CASE("the smallest configuration has the fewest ranks, then the smallest batch")
{
    Experiment experiment = smallExperiment();
    experiment.fixed.erase("batch_per_rank");
    experiment.factors.push_back({"batch_per_rank", {number(16), number(8)}});
    const Settings smallest = smallestConfiguration(expanded(experiment)).settings;
    CHECK(integerOf(smallest, "ranks") == 1);
    CHECK(integerOf(smallest, "batch_per_rank") == 8);
}

TEST_CASE("plans that a conditional makes differ in another setting are no one configuration on one rank")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"ranks", {number(1), number(2)}}, {"plan", {word("one"), word("buckets")}}};
    CHECK(expanded(experiment).notes.size() == 1);
    experiment.when.push_back({{{"plan", word("one")}}, {{"learning_rate", Value(0.02)}}});
    const Matrix matrix = expanded(experiment);
    CHECK(matrix.configurations.size() == 4);
    CHECK(matrix.notes.empty());
}
