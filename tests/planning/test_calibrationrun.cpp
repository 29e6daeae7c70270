// SPDX-License-Identifier: MIT
#include "core/planning/calibrationrun.h"

#include "core/spec/matrix.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

const spec::CalibrationShape kPair{1, 2, 1};

CalibrationRun must(const Result<CalibrationRun>& run)
{
    REQUIRE_MESSAGE(run, run.error().text());
    return *run;
}

store::RunRow rowOf(const char* site, const spec::CalibrationShape& shape, int repeat, RunState state)
{
    store::RunRow row;
    row.site = site;
    row.settings =
        spec::expand(spec::calibrationExperiment(site, shape, 1), site).value().configurations.at(0).settings;
    row.repeat = repeat;
    row.state = state;
    return row;
}

} // namespace

TEST_CASE("a calibration is one more of its shape on its site")
{
    CHECK(must(nextCalibration("alder", kPair, {})).repeat == 1);
    const std::vector<store::RunRow> runs = {
        rowOf("alder", kPair, 1, RunState::done), rowOf("alder", kPair, 2, RunState::failed),
        rowOf("alder", {2, 1, 1}, 7, RunState::done), rowOf("birch", kPair, 5, RunState::done)};
    const CalibrationRun next = must(nextCalibration("alder", kPair, runs));
    CHECK(next.repeat == 3);
    CHECK(next.experiment == spec::calibrationExperiment("alder", kPair, 3));
}

TEST_CASE("a calibration of GPUs is counted apart, and so is one by another backend or over another network")
{
    const std::vector<store::RunRow> runs = {rowOf("alder", kPair, 1, RunState::done),
                                             rowOf("alder", {1, 2, 1, {.device = "cuda"}}, 1, RunState::done)};
    const auto repeatOf = [&](const CalibrationMeans& means) {
        return must(nextCalibration("alder", {1, 2, 1, means}, runs)).repeat;
    };
    CHECK(repeatOf({}) == 2);
    CHECK(repeatOf({.device = "cuda"}) == 2);
    CHECK(repeatOf({.device = "cuda", .backend = "nccl"}) == 1);
    CHECK(repeatOf({.interface = "ib0"}) == 1);
}

TEST_CASE("an imported calibration is none of those that Ringside made")
{
    std::vector<store::RunRow> runs = {rowOf("alder", kPair, 1, RunState::done),
                                       rowOf("alder", kPair, 5, RunState::done)};
    runs.back().kind = RunKind::imported;
    CHECK(must(nextCalibration("alder", kPair, runs)).repeat == 2);
}

TEST_CASE("a calibration that was cancelled is done again, since every launch does that")
{
    const std::vector<store::RunRow> runs = {rowOf("alder", kPair, 1, RunState::cancelled),
                                             rowOf("alder", kPair, 2, RunState::done)};
    const CalibrationRun next = must(nextCalibration("alder", kPair, runs));
    CHECK(next.repeat == 1);
    CHECK(next.experiment.runs.repeats == 2);
}

TEST_CASE("an experiment that trains is not replaced by a calibration of that name")
{
    std::vector<store::RunRow> runs = {rowOf("alder", kPair, 1, RunState::done)};
    runs[0].settings["engine"] = std::string("ringside");
    const auto refused = nextCalibration("alder", kPair, runs);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.find("“calibration-alder”") != std::string::npos);
}

TEST_CASE("one that is under way is found, that of another site is not")
{
    std::vector<store::RunRow> runs = {rowOf("alder", kPair, 1, RunState::done),
                                       rowOf("alder", kPair, 2, RunState::running)};
    CHECK(unfinishedCalibration("alder", runs) == nullptr);
    runs[1].inCampaign = true;
    CHECK(unfinishedCalibration("alder", runs) == &runs[1]);
    CHECK(unfinishedCalibration("birch", runs) == nullptr);
    CHECK(must(nextCalibration("alder", kPair, runs)).repeat == 3);
}
