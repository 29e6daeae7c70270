// SPDX-License-Identifier: MIT
#include "core/spec/calibration.h"

#include "core/protocol/calibration.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::spec;

TEST_CASE("a calibration is an experiment of one configuration that anything may read")
{
    const CalibrationShape shape{2, 4, 3};
    const Experiment experiment = calibrationExperiment("alder", shape, 2);
    SiteLimits site;
    site.nodes = 0; // not known
    for (const Check& check : validate(experiment, site))
        CHECK_MESSAGE(check.severity != Severity::blocking, toText(check));
    const auto again = parseExperiment(writeExperiment(experiment));
    REQUIRE(again);
    CHECK(*again == experiment);
    const auto matrix = expand(experiment, "alder");
    REQUIRE(matrix);
    REQUIRE(matrix->configurations.size() == 1);
    CHECK(matrix->runs.size() == 2);
    const Configuration& cell = matrix->configurations[0];
    CHECK(textOf(cell.settings, "engine") == kCalibrationEngine);
    CHECK(integerOf(cell.settings, "ranks") == 8);
    CHECK(cell.iterations == kCalibrationSteps);
    CHECK(hasShape(cell.settings, shape));
    CHECK_FALSE(hasShape(cell.settings, {2, 4, 1}));
    CHECK_FALSE(hasShape(cell.settings, {4, 2, 3}));
}

TEST_CASE("a calibration says what it is made with where that is not the usual")
{
    CHECK_FALSE(calibrationExperiment("alder", {}, 1).fixed.contains("device"));
    const CalibrationShape shape{2, 1, 1, {"cuda", "nccl", "ib0"}};
    const Experiment experiment = calibrationExperiment("alder", shape, 1);
    CHECK(parseExperiment(writeExperiment(experiment)) == experiment);
    const auto matrix = expand(experiment, "alder");
    REQUIRE(matrix);
    const Configuration& cell = matrix->configurations.at(0);
    CHECK(cell.iterations == kCalibrationSteps + kGpuCalibrationSteps);
    CHECK(meansOf(cell.settings) == shape.means);
    CHECK(hasShape(cell.settings, shape));
    CHECK_FALSE(hasShape(cell.settings, {2, 1, 1}));
    CHECK_FALSE(hasShape(cell.settings, {2, 1, 1, {"cuda", "nccl", "any"}}));
}

TEST_CASE("a single rank is calibrated, too")
{
    const Experiment experiment = calibrationExperiment("local", {1, 1, 1}, 1);
    for (const Check& check : validate(experiment))
        CHECK_MESSAGE(check.severity != Severity::blocking, toText(check));
}
