// SPDX-License-Identifier: MIT
// The GEMM rate of the cores and GPUs of a run's ranks, by the calibrations of a site.
#include "core/store/gemmrate.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::store;

namespace {

SiteCalibration calibration(int ranks, int nodes, int coresPerRank, double gemm)
{
    SiteCalibration known;
    known.calibration.ranks = ranks;
    known.calibration.nodes = nodes;
    known.calibration.coresPerRank = coresPerRank;
    known.calibration.gemmFlops = {gemm, gemm / 2};
    return known;
}

/// With rates of its own for each kind of numbers.
SiteCalibration gpuCalibration(int ranks, int nodes, int coresPerRank)
{
    SiteCalibration known = calibration(ranks, nodes, coresPerRank, 60e9);
    known.calibration.means.device = "cuda";
    known.calibration.gpu = GpuRates{{50e12, 49e12}, {400e12, 390e12}, {770e12, 760e12}, {}, {}, {}};
    return known;
}

Settings run(int ranks, int nodes, int coresPerRank)
{
    return {{"ranks", std::int64_t{ranks}},
            {"nodes", std::int64_t{nodes}},
            {"cores_per_rank", std::int64_t{coresPerRank}},
            {"device", std::string("cpu")},
            {"precision", std::string("fp32")}};
}

} // namespace

TEST_CASE("the rate of a run is that of a rank times their number, where as many were calibrated")
{
    const std::vector<SiteCalibration> known = {calibration(2, 1, 1, 60e9), calibration(8, 2, 4, 180e9)};
    CHECK(gemmRate(run(2, 1, 1), known) == 120e9);
    CHECK(gemmRate(run(8, 2, 4), known) == 1440e9);
    CHECK(gemmRate({{"ranks", std::int64_t{2}}}, known) == 120e9); // one node and one core, where nothing is said
    CHECK_FALSE(gemmRate(run(4, 1, 1), known));
    CHECK_FALSE(gemmRate(run(8, 1, 4), known));
    CHECK_FALSE(gemmRate(run(2, 1, 2), known));
    CHECK_FALSE(gemmRate(run(2, 1, 1), {}));
}

TEST_CASE("on GPUs it is that of the numbers that the run multiplies")
{
    // the newest one is of CPUs and the next was disturbed: neither says anything of a GPU
    std::vector<SiteCalibration> known = {calibration(2, 1, 1, 60e9), gpuCalibration(2, 1, 1), gpuCalibration(2, 1, 1)};
    known[1].flags = {"disturbed"};
    known[1].calibration.gpu->fp32Flops.median = 1e12;
    Settings onGpu = run(2, 1, 1);
    onGpu["device"] = std::string("cuda");
    CHECK(gemmRate(onGpu, known) == 100e12); // TF32 is off where nothing is said
    onGpu["tf32"] = std::string("off");
    CHECK(gemmRate(onGpu, known) == 100e12);
    onGpu["tf32"] = std::string("on");
    CHECK(gemmRate(onGpu, known) == 800e12);
    onGpu["precision"] = std::string("bf16");
    CHECK(gemmRate(onGpu, known) == 1540e12);
    CHECK(gemmRate(run(2, 1, 1), known) == 120e9); // on CPUs, as before
    onGpu["ranks"] = std::int64_t{4};
    CHECK_FALSE(gemmRate(onGpu, known));
}

TEST_CASE("what was not measured, or not in peace, says nothing of a rate")
{
    std::vector<SiteCalibration> known = {calibration(2, 1, 1, 60e9)};
    Settings other = run(2, 1, 1);
    SUBCASE("on a GPU, by a calibration of CPUs")
    {
        other["device"] = std::string("cuda");
    }
    SUBCASE("on a GPU, in numbers that were not measured")
    {
        known[0] = gpuCalibration(2, 1, 1);
        known[0].calibration.gpu->bf16Flops = {};
        other["device"] = std::string("cuda");
        other["precision"] = std::string("bf16");
    }
    SUBCASE("in other numbers on a CPU, also beside a GPU")
    {
        known.push_back(gpuCalibration(2, 1, 1));
        other["precision"] = std::string("bf16");
    }
    SUBCASE("on a CPU, with TF32 of a GPU")
    {
        known[0] = gpuCalibration(2, 1, 1);
        known[0].calibration.gemmFlops = {};
        other["tf32"] = std::string("on");
    }
    SUBCASE("disturbed")
    {
        known[0].flags = {"disturbed"};
    }
    SUBCASE("without a rate")
    {
        known[0].calibration.gemmFlops = {};
    }
    CHECK_FALSE(gemmRate(other, known));
}
