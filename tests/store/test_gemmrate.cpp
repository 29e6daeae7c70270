// SPDX-License-Identifier: MIT
// What the cores of a run's ranks can multiply, by the calibrations of a site.
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

TEST_CASE("what was not measured, or not in peace, says nothing of a rate")
{
    std::vector<SiteCalibration> known = {calibration(2, 1, 1, 60e9)};
    Settings other = run(2, 1, 1);
    SUBCASE("on a GPU")
    {
        other["device"] = std::string("cuda");
    }
    SUBCASE("in other numbers")
    {
        other["precision"] = std::string("bf16");
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
