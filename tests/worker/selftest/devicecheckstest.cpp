// SPDX-License-Identifier: MIT
// The self-test's checks of a GPU, over the stand-in device.
#include "agent/worker/selftest/selftest.h"
#include "tests/worker/device/standindevice.h"
#include "tests/worker/device/standingraph.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

c10::Device device()
{
    static const bool installed = (test::installStandInDevice(), true);
    REQUIRE(installed);
    return {test::kStandIn, 0};
}

void checkPassed(const CheckResult& result)
{
    CHECK_MESSAGE(result.verdict == CheckResult::Verdict::passed, result.detail);
}

} // namespace

TEST_CASE("gradients of a device are those of the CPU, as it launches them and as a graph")
{
    checkPassed(gradientsOn(device()));
    checkPassed(gradientsOn(device(), {.channelsLast = true}));
    CHECK(gradientsOn(device(), {.tolerance = -1}).verdict == CheckResult::Verdict::failed);
    checkPassed(graphGradientsOn(device(), std::make_unique<test::StandInGraph>()));
}

TEST_CASE("in bf16 the CPU's own are far from what is allowed, and further than fp32 may be")
{
    const auto inBf16 = [](double tolerance) {
        return gradientsOn(c10::kCPU, {.precision = Precision::bf16, .tolerance = tolerance});
    };
    device();
    checkPassed(inBf16(2.5e-2));
    CHECK(inBf16(DeviceMath{}.tolerance).verdict == CheckResult::Verdict::failed);
}
