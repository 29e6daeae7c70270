// SPDX-License-Identifier: MIT
// The self-test's checks on a GPU, each by the code that a run uses. Tests pass the stand-in device.
#pragma once

#include "agent/worker/device/devicegraph.h"
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/train/trainsettings.h"

#include <c10/core/Device.h>
#include <memory>
#include <string>

namespace ringside {

/// A device's ways to compute; see the settings of these names.
struct DeviceMath
{
    Precision precision = Precision::fp32;
    bool tf32 = false;
    bool channelsLast = false;
    bool cudnnBenchmark = false;
    double tolerance = 1e-3; ///< beside the CPU in fp32: other kernels, in another order
};

/// 8 bits of mantissa through LeNet there and back; see gradientsOn.
inline constexpr double kBf16GradientTolerance = 5e-2;

/// Gradients of LeNet on this device against those on the CPU in fp32; the second as a graph replays them.
CheckResult gradientsOn(c10::Device device, const DeviceMath& math = {});
CheckResult graphGradientsOn(c10::Device device, std::unique_ptr<DeviceGraph> graph);

/// Two steps of the optimizer, with all that it has, against the CPU's.
CheckResult updateOn(c10::Device device);
/// Gradients of which an exchange makes the double, in buckets that are used again: in the memory of the host, or of
/// the device.
CheckResult bucketsOn(c10::Device device, bool inDeviceMemory);
/// More batches than the ring has places, whose memory is overwritten at once.
CheckResult batchesOn(c10::Device device);

/// Phases by the device's events beside the host's time.
CheckResult phasesOn(c10::Device device);
/// Times of layers within those of their phases.
CheckResult layersOn(c10::Device device);
/// Copies within the device's memory, and to and from page-locked memory.
CheckResult copyRatesOn(c10::Device device);
/// The load that NVML reports for the GPU at this PCI address.
CheckResult loadOf(const std::string& pciBus);

} // namespace ringside
