// SPDX-License-Identifier: MIT
#include "agent/worker/device/device.h"

#include "core/base/sharedlibrary.h"

#include <ATen/Context.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace ringside {

namespace {

constexpr const char* kOtherTorch = "Build the worker with a libtorch for CUDA, or use device “cpu”.";

/// The folder of the libtorch that this process runs with.
fs::path torchFolder()
{
    const auto torch = SharedLibrary::loaded("libtorch_cpu.so");
    return torch ? torch->file().parent_path() : fs::path();
}

} // namespace

Result<void> loadTorchCuda()
{
    const fs::path file = torchFolder() / "libtorch_cuda.so";
    std::error_code none;
    if (!fs::exists(file, none))
        return fail(
            ErrorCode::notFound,
            fmt::format("The libtorch of this ringside-worker computes on CPUs only: there is no {}.", file.string()),
            kOtherTorch);
    if (const auto library = SharedLibrary::open(file, /*forAll=*/true); !library)
        return fail(ErrorCode::unavailable, "libtorch's part for GPUs cannot be loaded: " + library.error().message,
                    kOtherTorch);
    return {};
}

Result<c10::Device> openDevice(c10::DeviceType type, int localRank)
{
    if (type == c10::kCUDA)
        TRY(loadTorchCuda());
    if (!c10::impl::hasDeviceGuardImpl(type))
        return fail(ErrorCode::unavailable,
                    fmt::format("libtorch knows no device “{}”.", c10::DeviceTypeName(type, true)), kOtherTorch);
    const auto* devices = c10::impl::getDeviceGuardImpl(type);
    const int count = devices->deviceCount();
    if (count < 1)
        return fail(ErrorCode::unavailable, "libtorch finds no GPU, though the driver shows one.",
                    "Its CUDA may be newer than the driver; see nvidia-smi.");
    const c10::Device device(type, static_cast<c10::DeviceIndex>(localRank % count));
    devices->setDevice(device);
    return device;
}

void setMath(const MathSwitches& math)
{
    auto& context = at::globalContext();
    context.setAllowTF32CuBLAS(math.tf32);
    context.setAllowTF32CuDNN(math.tf32);
    context.setBenchmarkCuDNN(math.cudnnBenchmark);
}

} // namespace ringside
