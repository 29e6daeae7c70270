// SPDX-License-Identifier: MIT
// The studies that come with Ringside, by the tables that come with it: whatever is installed here does not matter.
#include "core/adapters/adapterbook.h"
#include "core/base/files.h"
#include "core/spec/basecase.h"
#include "core/spec/matrix.h"
#include "core/spec/smallform.h"
#include "core/spec/systems.h"
#include "core/spec/validate.h"
#include "tests/support/built.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>

using namespace ringside;
using namespace ringside::spec;

namespace {

/// Those that come with Ringside, in use.
struct BuiltIn
{
    BuiltIn() { book.use(); }
    ~BuiltIn() { setSystems({}); }

    test::TemporaryFolder folder;
    adapters::AdapterBook book{folder.path()};
};

std::vector<fs::path> studies()
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(test::sourceFolder() / "resources" / "experiments" / "studies"))
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

SiteLimits cluster()
{
    SiteLimits site;
    site.nodes = 16;
    site.devices = {"cpu", "cuda"};
    return site;
}

/// With all systems that could be asked for.
SiteLimits thisComputer()
{
    SiteLimits here;
    here.cores = 2;
    here.hasFolder = [](const std::string&) { return false; };
    here.engines.emplace();
    for (const System& system : systems())
        here.engines->emplace(system.name, "");
    return here;
}

/// Returns the findings that prevent a study from being run, or from having its speed-ups.
std::string faultsOf(const std::vector<Check>& checks)
{
    std::string text;
    for (const Check& check : checks)
        if (check.severity == Severity::blocking || (check.severity == Severity::warning && check.field == "base"))
            text += toText(check) + "\n";
    return text;
}

std::set<std::string> namedEngines(const Experiment& experiment)
{
    std::set<std::string> names;
    for (const Value& level : experiment.factor("engine")->levels)
        names.insert(std::get<std::string>(level));
    return names;
}

std::set<std::string> enginesIn(const Matrix& matrix)
{
    std::set<std::string> names;
    for (const Configuration& configuration : matrix.configurations)
        names.insert(textOf(configuration.settings, "engine").value_or(""));
    return names;
}

Matrix matrixOf(const Experiment& experiment)
{
    auto matrix = expand(experiment);
    REQUIRE_MESSAGE(matrix, matrix.error().text());
    return std::move(*matrix);
}

Experiment study(const fs::path& file)
{
    const auto text = readFile(file);
    REQUIRE_MESSAGE(text, text.error().text());
    ParseOutcome outcome = checkExperiment(*text, cluster());
    CHECK(faultsOf(outcome.checks) == "");
    REQUIRE(outcome.experiment);
    return std::move(*outcome.experiment);
}

/// Levels of a setting that the configurations of an engine have.
std::set<std::string> levelsOf(const Matrix& matrix, const char* engine, const char* key)
{
    std::set<std::string> levels;
    for (const Configuration& configuration : matrix.configurations)
        if (textOf(configuration.settings, "engine") == engine)
            levels.insert(textOf(configuration.settings, key).value_or("none"));
    return levels;
}

} // namespace

TEST_CASE("every study is right and has runs of each engine that it names, whole and in its small form")
{
    const BuiltIn systems;
    for (const fs::path& file : studies()) {
        CAPTURE(file);
        const Experiment whole = study(file);
        CHECK(whole.name == file.stem());
        CHECK(enginesIn(matrixOf(whole)) == namedEngines(whole));

        const Experiment small = smallForm(whole, thisComputer());
        CHECK(faultsOf(validate(small, thisComputer())) == "");
        const Matrix matrix = matrixOf(small);
        CHECK(enginesIn(matrix) == namedEngines(whole));
        CHECK(matrix.runs.size() <= 100); // some seconds each: a quarter of an hour
    }
}

TEST_CASE("the study of two frameworks varies ranks on a node and nodes, and ranks in its small form")
{
    const BuiltIn systems;
    const Experiment whole =
        study(test::sourceFolder() / "resources" / "experiments" / "studies" / "two-frameworks.toml");
    const auto levelsOfAll = [](const Matrix& matrix, const char* key) {
        std::set<std::int64_t> levels;
        for (const Configuration& configuration : matrix.configurations)
            levels.insert(integerOf(configuration.settings, key).value_or(0));
        return levels;
    };
    CHECK(levelsOfAll(matrixOf(whole), "nodes") == std::set<std::int64_t>{1, 2, 4});
    CHECK(levelsOfAll(matrixOf(whole), "ranks_per_node") == std::set<std::int64_t>{1, 4});
    CHECK(levelsOfAll(matrixOf(whole), "ranks") == std::set<std::int64_t>{1, 2, 4, 8, 16});
    CHECK(levelsOfAll(matrixOf(smallForm(whole, thisComputer())), "ranks") == std::set<std::int64_t>{1, 2});
}

TEST_CASE("the study of four frameworks varies layout, autotuning and loading one at a time")
{
    const BuiltIn systems;
    const Experiment whole =
        study(test::sourceFolder() / "resources" / "experiments" / "studies" / "four-frameworks.toml");
    const Matrix matrix = matrixOf(whole);
    using Levels = std::set<std::string>;
    CHECK(levelsOf(matrix, "ringside", "layout") == Levels{"channels_last", "contiguous"});
    for (const char* engine : {"ringside", "mxnet"})
        CHECK(levelsOf(matrix, engine, "cudnn_benchmark") == Levels{"off", "on"});
    CHECK(levelsOf(matrix, "cntk", "cntk.autotune") == Levels{"off", "on"});
    for (const char* engine : {"ringside", "mxnet", "tensorflow"})
        CHECK(levelsOf(matrix, engine, "data") == Levels{"folder", "synthetic"});
    for (const Configuration& configuration : matrix.configurations) {
        const auto differs = [&](const char* key, const char* standard) {
            return textOf(configuration.settings, key).value_or(standard) != standard;
        };
        CHECK(differs("layout", "contiguous") + differs("cudnn_benchmark", "off") + differs("data", "synthetic") <= 1);
    }
    const Matrix small = matrixOf(smallForm(whole, thisComputer()));
    CHECK(small.configurations.size() == 42);
    CHECK(levelsOf(small, "ringside", "data") == Levels{"synthetic", "synthetic-files"});
    for (const char* engine : {"cntk", "mxnet", "tensorflow"}) // as the file says
        CHECK(levelsOf(small, engine, "data") == Levels{"synthetic"});
}
