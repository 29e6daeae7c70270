// SPDX-License-Identifier: MIT
// The self-test's checks of a GPU, over the stand-in device and the stand-in for the driver's NVML.
#include "agent/worker/selftest/devicechecks.h"
#include "tests/worker/device/standindevice.h"
#include "tests/worker/device/standingraph.h"

#include <doctest/doctest.h>

using namespace ringside;
using Verdict = CheckResult::Verdict;

namespace {

c10::Device device()
{
    static const bool installed = (test::installStandInDevice(), true);
    REQUIRE(installed);
    return {test::kStandIn, 0};
}

void checkPassed(const CheckResult& result)
{
    MESSAGE(result.detail);
    CHECK(result.verdict == Verdict::passed);
}

} // namespace

TEST_CASE("gradients of a device are those of the CPU, as it launches them and as a graph")
{
    checkPassed(gradientsOn(device()));
    checkPassed(gradientsOn(device(), {.channelsLast = true}));
    CHECK(gradientsOn(device(), {.tolerance = -1}).verdict == Verdict::failed);
    checkPassed(graphGradientsOn(device(), std::make_unique<test::StandInGraph>()));
}

TEST_CASE("in bf16 the CPU's own are far from what is allowed, and further than fp32 may be")
{
    const auto inBf16 = [](double tolerance) {
        return gradientsOn(c10::kCPU, {.precision = Precision::bf16, .tolerance = tolerance});
    };
    device();
    checkPassed(inBf16(kBf16GradientTolerance / 2));
    CHECK(inBf16(DeviceMath{}.tolerance).verdict == Verdict::failed);
}

TEST_CASE("weights, gradients and batches of a device are what they are to be")
{
    checkPassed(updateOn(device()));
    checkPassed(bucketsOn(device(), false));
    checkPassed(bucketsOn(device(), true));
    checkPassed(batchesOn(device()));
}

TEST_CASE("times of a device are within the host's")
{
    checkPassed(phasesOn(device()));
    checkPassed(layersOn(device()));
    checkPassed(copyRatesOn(device()));
}

TEST_CASE("NVML's figures are those of the GPU at its PCI address; one that is not there is a failure")
{
    checkPassed(loadOf("00000000:17:00.0"));
    CHECK(loadOf("00000000:99:00.0").verdict == Verdict::failed);
}
