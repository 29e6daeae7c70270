// SPDX-License-Identifier: MIT
#include "core/report/distinguishing.h"
#include "core/report/names.h"
#include "core/spec/matrix.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

using Keys = std::vector<std::string>;

Keys tellingOf(const std::vector<Settings>& runs)
{
    std::vector<const Settings*> pointers;
    for (const Settings& run : runs)
        pointers.push_back(&run);
    return distinguishingSettings(pointers);
}

Keys tellingOf(const spec::Experiment& experiment)
{
    std::vector<Settings> runs;
    const spec::Matrix matrix = spec::expand(experiment).value();
    for (const spec::Configuration& configuration : matrix.configurations)
        runs.push_back(configuration.settings);
    return tellingOf(runs);
}

} // namespace

TEST_CASE("What differs tells apart, in the order of the schema; what follows from it does not")
{
    auto experiment = plansExperiment({1, 2}, 1, {"lenet"});
    CHECK(tellingOf(experiment) == Keys{"ranks", "plan"});
    experiment.factors = {{"prefetch", {Value(std::int64_t{1}), Value(std::int64_t{4})}},
                          {"ranks", {Value(std::int64_t{1}), Value(std::int64_t{2})}},
                          {"files", {Value("single"), Value("packed")}}};
    experiment.fixed["model"] = Value("lenet");
    experiment.fixed["data"] = Value("synthetic-files");
    CHECK(tellingOf(experiment) == Keys{"ranks", "files", "prefetch"}); // plan and ranks per node go with the ranks
    experiment.fixed.erase("batch_per_rank");
    experiment.factors = {{"batch_global", {Value(std::int64_t{4}), Value(std::int64_t{8})}},
                          {"ranks", {Value(std::int64_t{1}), Value(std::int64_t{2})}}};
    CHECK(tellingOf(experiment) == Keys{"batch_global", "ranks"});
}

TEST_CASE("Runs that have a setting differ from those that have none; sites come last")
{
    const Settings cold = {{"site", Value("alder")}, {"cache", Value("cold")}}, other = {{"site", Value("alder")}};
    CHECK(tellingOf({cold, other, {{"site", Value("beech")}}}) == Keys{"cache", "site"});
    CHECK(tellingOf(std::vector<Settings>{}).empty());
    CHECK(tellingOf({cold, cold}).empty());
}

TEST_CASE("An engine that varies is named first, whether or not other settings distinguish the runs")
{
    const Settings own = {{"engine", Value("ringside")}, {"ranks", Value(std::int64_t{1})}};
    const Settings other = {{"engine", Value("pytorch")}, {"ranks", Value(std::int64_t{2})}};
    CHECK(namingSettings({&own, &other}) == Keys{"engine", "ranks"});
    CHECK(namingSettings({&own, &own}).empty());
    const Settings links = {{"engine", Value("calibration")}, {"model", Value("none")}};
    CHECK(namingSettings({&own, &own, &links}) == distinguishingSettings({&own, &own, &links})); // it trains nothing
    CHECK(namingSettings({}).empty());
}

TEST_CASE("A number and a switch are named, most words are not")
{
    const Settings settings = {{"model", Value("gpt2")},
                               {"batch_per_rank", Value(std::int64_t{4})},
                               {"image_size", Value(std::int64_t{64})},
                               {"prefetch", Value(std::int64_t{4})},
                               {"ranks", Value(std::int64_t{2})},
                               {"tf32", Value("on")},
                               {"cache", Value("cold")}};
    CHECK(levelText("model", settings) == "GPT-2");
    CHECK(levelText("batch_per_rank", settings) == "batch per rank 4\u202fsequences");
    CHECK(levelText("image_size", settings) == "image size 64\u202fpixels");
    CHECK(levelText("prefetch", settings) == "prefetched batches 4");
    CHECK(levelText("ranks", settings) == "2 CPU ranks");
    CHECK(levelText("tf32", settings) == "TF32 on");
    CHECK(levelText("cache", settings) == "cold");
    CHECK(levelText("files", settings).empty());
    CHECK(shownLevelText("image_size", settings) == "image size 64\u202fpixels");
}
