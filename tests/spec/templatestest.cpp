// SPDX-License-Identifier: MIT
// The experiments that come with Ringside, as they lie in resources/.
#include "core/base/files.h"
#include "tests/spec/examples.h"
#include "tests/support/built.h"

#include <set>

using namespace ringside;
using namespace ringside::spec;

namespace {

SiteLimits twoCores(int nodes = 1)
{
    SiteLimits site;
    site.nodes = nodes;
    site.cores = 2;
    site.memoryBytes = std::uint64_t{4} << 30;
    site.features = {{"mpi", "jpeg"}};
    return site;
}

Experiment resource(const std::string& name, const SiteLimits& site = twoCores())
{
    const auto text = readFile(test::sourceFolder() / "resources" / "experiments" / (name + ".toml"));
    REQUIRE_MESSAGE(text, text.error().text());
    const ParseOutcome outcome = checkExperiment(*text, site);
    CHECK(printed(outcome.checks) == "");
    REQUIRE(outcome.experiment);
    CHECK(outcome.experiment->name == name);
    return *outcome.experiment;
}

} // namespace

TEST_CASE("first-light is 6 configurations and 36 runs, interleaved, weak")
{
    const Experiment experiment = resource("first-light");
    const Matrix matrix = expanded(experiment);
    CHECK(matrix.configurations.size() == 6);
    REQUIRE(matrix.runs.size() == 36);
    CHECK(matrix.scaling == Scaling::weak);
    for (std::size_t i = 0; i < matrix.runs.size(); ++i)
        CHECK(matrix.runs[i] == PlannedRun{i % 6, static_cast<int>(i / 6) + 1});
    REQUIRE(matrix.notes.size() == 1);
    CHECK(matrix.notes[0] == "On 1 rank there is nothing to aggregate: one and buckets are one configuration, “none”.");
    for (const Configuration& c : matrix.configurations)
        CHECK(integerOf(c.settings, "batch_per_rank") == (textOf(c.settings, "model") == "alexnet" ? 16 : 4));
}

TEST_CASE("the templates run on two cores")
{
    CHECK(expanded(resource("scaling-of-one-model")).configurations.size() == 2);
    CHECK(expanded(resource("aggregation-plans")).configurations.size() == 5);
    CHECK(expanded(resource("plans")).configurations.size() == 9);
    CHECK(expanded(resource("loading")).configurations.size() == 16);
}

TEST_CASE("the experiments for the demo cluster are compared with a base case each")
{
    for (const auto& [name, configurations] : {std::pair("plans-shaped", 12u), std::pair("three-nodes", 3u)}) {
        const Experiment experiment = resource(name, twoCores(3));
        CHECK(expanded(experiment).configurations.size() == configurations);
        CHECK(experiment.site == "demo");
        CHECK_FALSE(experiment.base.empty());
    }
}
