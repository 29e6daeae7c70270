// SPDX-License-Identifier: MIT
// The experiments that come with Ringside, as they lie in resources/.
#include "core/base/files.h"
#include "tests/spec/examples.h"

#include <set>

using namespace ringside;
using namespace ringside::spec;

namespace {

SiteLimits twoCores()
{
    SiteLimits site;
    site.cores = 2;
    site.memoryBytes = std::uint64_t{4} << 30;
    site.features = {{"mpi", "jpeg"}};
    return site;
}

Experiment resource(const std::string& name)
{
    const auto text = readFile(fs::path(RINGSIDE_SOURCE) / "resources" / "experiments" / (name + ".toml"));
    REQUIRE_MESSAGE(text, text.error().text());
    const ParseOutcome outcome = checkExperiment(*text, twoCores());
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
