// SPDX-License-Identifier: MIT
// The used part of NVIDIA's management library, loaded at run time from the driver's libnvidia-ml.so.1. Its header is
// in no package that the worker needs, so the functions are declared here: names, types and numbers as in NVIDIA's
// "NVML API Reference Guide", chapter by chapter as named beside them. All return 0 for success.
#pragma once

#include "core/base/error.h"

namespace ringside::nvml {

using Device = void*;

// "Device Queries"
struct Utilization
{
    unsigned gpu;    ///< per cent of the last sample period (1 s to 1/6 s) in which a kernel ran
    unsigned memory; ///< … in which memory was read or written
};
struct Memory
{
    unsigned long long total, free, used; ///< bytes
};
struct Process
{
    unsigned pid;
    unsigned long long usedMemory; ///< bytes, or kMemoryUnknown
    unsigned gpuInstance, computeInstance;
};
inline constexpr unsigned long long kMemoryUnknown = ~0ull; // NVML_VALUE_NOT_AVAILABLE
inline constexpr int kNotSupported = 3;                     // NVML_ERROR_NOT_SUPPORTED
inline constexpr int kTooMany = 7;                          // NVML_ERROR_INSUFFICIENT_SIZE
inline constexpr int kClockSm = 1;                          // nvmlClockType_t
inline constexpr int kClockMemory = 2;                      // nvmlClockType_t
inline constexpr int kPcieSent = 0;                         // nvmlPcieUtilCounter_t
inline constexpr int kPcieReceived = 1;                     // nvmlPcieUtilCounter_t

// "Field Value Enums", "Field Value Queries"
struct FieldValue
{
    unsigned fieldId;
    unsigned scopeId;
    long long timestamp, latencyUs;
    int valueType;
    int result; ///< of this field
    union {
        double real;
        unsigned long long whole;
    } value;
};
inline constexpr unsigned kNvlinkSent = 138; // NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX: KiB since the driver was loaded
inline constexpr unsigned kNvlinkReceived = 139; // NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX
inline constexpr unsigned kAllLinks = ~0u;
inline constexpr int kWholeNumber = 3; // NVML_VALUE_TYPE_UNSIGNED_LONG_LONG

/// The library's functions; those that an older driver has not are null. It stays loaded and initialised.
struct Library
{
    static Result<Library> load();

    int (*init)() = nullptr;
    int (*handleByPciBus)(const char* bus, Device*) = nullptr;
    int (*count)(unsigned* gpus) = nullptr; ///< that this process may use
    int (*handleByIndex)(unsigned index, Device*) = nullptr;
    int (*utilization)(Device, Utilization*) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*power)(Device, unsigned* milliwatts) = nullptr;
    int (*clock)(Device, int type, unsigned* megahertz) = nullptr;
    int (*clockReasons)(Device, unsigned long long* bits) = nullptr; ///< why clocks are not at their highest
    int (*pcie)(Device, int direction,
                unsigned* kilobytesPerSecond) = nullptr; ///< of the last 20 ms, which it waits for
    int (*fields)(Device, int count, FieldValue*) = nullptr;
    int (*processes)(Device, unsigned* count, Process*) = nullptr; ///< that compute
};

} // namespace ringside::nvml
