// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/pluginloader.h"

#include "agent/worker/runtime/pluginentry.h"
#include "core/protocol/layout.h"

namespace ringside::cuda {

namespace {

// The driver API (cuda.h; CUDA Driver API reference, "Initialization" and "Device Management"): 0 is success.
constexpr int kStubLibrary = 34; ///< CUDA_ERROR_STUB_LIBRARY: no driver, but what programs are linked with
constexpr int kNoDevice = 100;   ///< CUDA_ERROR_NO_DEVICE
using Init = int(unsigned flags);
using Count = int(int* count);
using Get = int(int* device, int ordinal);
using Memory = int(std::size_t* bytes, int device);   ///< cuDeviceTotalMem_v2
using Text = int(char* text, int length, int device); ///< cuDeviceGetName, cuDeviceGetPCIBusId

constexpr const char* kElsewhere = "Use another backend, or hosts with an NVIDIA GPU.";

tl::unexpected<Error> noGpu(ErrorCode code, const std::string& why)
{
    return fail(code, "There is no NVIDIA GPU that this process can use: " + why, kElsewhere);
}

Result<SharedLibrary> driverLibrary()
{
    return SharedLibrary::open("libcuda.so.1");
}

} // namespace

fs::path pluginFile()
{
    return layout::workerCudaPlugin(programFolder().value_or(fs::path()));
}

bool hasPlugin()
{
    std::error_code none;
    return fs::exists(pluginFile(), none);
}

Result<int> gpuCount()
{
    const auto driver = driverLibrary();
    if (!driver)
        return noGpu(ErrorCode::notFound, "the driver's libcuda.so.1 is not there.");
    const auto init = driver->find<Init>("cuInit");
    const auto count = driver->find<Count>("cuDeviceGetCount");
    int gpus = 0;
    const int error = !init || !count ? -1 : init(0);
    const bool hasNone = error == kNoDevice || error == kStubLibrary;
    if (error != 0 && !hasNone)
        return noGpu(ErrorCode::unavailable, fmt::format("the driver does not start (error {} of cuInit).", error));
    if (hasNone || count(&gpus) != 0 || gpus < 1)
        return noGpu(ErrorCode::notFound, "the driver shows none (see nvidia-smi and CUDA_VISIBLE_DEVICES).");
    return gpus;
}

Result<Device> gpuOf(int localRank)
{
    TRY_ASSIGN(const int gpus, gpuCount());
    TRY_ASSIGN(const auto driver, driverLibrary());
    const auto get = driver.find<Get>("cuDeviceGet");
    const auto name = driver.find<Text>("cuDeviceGetName");
    const auto pciBus = driver.find<Text>("cuDeviceGetPCIBusId");
    char names[256] = {}, bus[32] = {};
    int device = 0;
    const int index = localRank % gpus;
    if (!get || !name || !pciBus || get(&device, index) != 0 || name(names, sizeof names, device) != 0 ||
        pciBus(bus, sizeof bus, device) != 0)
        return noGpu(ErrorCode::unavailable, fmt::format("the driver does not describe GPU {}.", index));
    return Device{index, names, bus};
}

std::uint64_t gpuMemoryBytes(int index)
{
    const auto gpus = gpuCount();
    const auto driver = driverLibrary();
    if (!driver || !gpus || index < 0 || index >= *gpus)
        return 0;
    const auto get = driver->find<Get>("cuDeviceGet");
    const auto memory = driver->find<Memory>("cuDeviceTotalMem_v2");
    int device = 0;
    std::size_t bytes = 0;
    return get && memory && get(&device, index) == 0 && memory(&bytes, device) == 0 ? bytes : 0;
}

Result<std::unique_ptr<Plugin>> loadPlugin()
{
    TRY(gpuCount());
    TRY_ASSIGN(const auto* entry, loadPluginEntry<PluginEntry>(pluginFile(), kEntryName, kInterface, "CUDA",
                                                               "Build it where the headers of CUDA and NCCL are."));
    return entry->make();
}

} // namespace ringside::cuda
