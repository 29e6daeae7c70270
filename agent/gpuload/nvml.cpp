// SPDX-License-Identifier: MIT
#include "agent/gpuload/nvml.h"

#include "core/base/sharedlibrary.h"

#include <initializer_list>

namespace ringside::nvml {

namespace {

/// The first of these names that the library has: newer drivers have new names for old functions.
template <class Function>
void find(const SharedLibrary& library, std::initializer_list<const char*> names, Function& function)
{
    for (const char* name : names)
        if (!function)
            library.find(name, function);
}

} // namespace

Result<Library> Library::load()
{
    const auto file = SharedLibrary::open("libnvidia-ml.so.1");
    if (!file)
        return fail(ErrorCode::notFound, "The driver's libnvidia-ml.so.1 is not there.");
    Library library;
    find(*file, {"nvmlInit_v2"}, library.init);
    find(*file, {"nvmlDeviceGetHandleByPciBusId_v2"}, library.handleByPciBus);
    find(*file, {"nvmlDeviceGetCount_v2"}, library.count);
    find(*file, {"nvmlDeviceGetHandleByIndex_v2"}, library.handleByIndex);
    find(*file, {"nvmlDeviceGetUtilizationRates"}, library.utilization);
    find(*file, {"nvmlDeviceGetMemoryInfo"}, library.memory);
    find(*file, {"nvmlDeviceGetPowerUsage"}, library.power);
    find(*file, {"nvmlDeviceGetClockInfo"}, library.clock);
    find(*file, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
         library.clockReasons);
    find(*file, {"nvmlDeviceGetPcieThroughput"}, library.pcie);
    find(*file, {"nvmlDeviceGetFieldValues"}, library.fields);
    find(*file, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"},
         library.processes);
    const int error = library.init && library.handleByPciBus ? library.init() : -1;
    if (error != 0)
        return fail(ErrorCode::unavailable, fmt::format("NVML does not start (error {} of nvmlInit_v2).", error));
    return library;
}

} // namespace ringside::nvml
