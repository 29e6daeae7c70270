// SPDX-License-Identifier: MIT
// The interface between ringside-worker and its CUDA plug-in. The plug-in is a file of its own, ringside-worker-cuda.so
// beside the program, and loaded only where a GPU is (pluginloader.h): the worker itself needs nothing of CUDA, neither
// to be built nor to start.
#pragma once

#include "agent/worker/collectives/numbers.h"
#include "agent/worker/collectives/transfer.h"
#include "core/base/error.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace ringside::cuda {

/// Raised with every change of what is in this file or of what it includes.
inline constexpr int kInterface = 3;

struct Device
{
    int index = 0;      ///< among those that this process may use
    std::string name;   ///< "NVIDIA H100 80GB HBM3"
    std::string pciBus; ///< "00000000:17:00.0", by which NVML finds it
};

/// The identifier that the ranks of a group share before they can meet; made by one of them.
using GroupId = std::array<std::byte, 128>;

struct GroupPlace
{
    GroupId id{};
    int rank = 0;
    int ranks = 1;
    std::chrono::milliseconds limit{0}; ///< of joining, and of each call
};

/// Collectives of GPUs, one a rank, with the meaning that they have in Communicator, from one thread at a time. Memory
/// of the host goes through the GPU in pieces, and the call blocks until it is complete; memory of the GPU is used in
/// place, and the call only enqueued on the plug-in's stream. A call that fails, or exceeds the limit, ends all groups
/// of the plug-in: the GPU is freed, and every later call returns the same error.
class DeviceGroup
{
public:
    virtual ~DeviceGroup() = default;
    virtual Result<std::unique_ptr<Transfer>> enqueued() = 0;
    virtual Result<void> allReduceSum(Numbers buffer) = 0;
    virtual Result<void> reduceSum(Numbers buffer, int root) = 0;
    virtual Result<void> reduceScatterSum(Numbers buffer) = 0;
    virtual Result<void> allGatherParts(Numbers buffer) = 0;
    virtual Result<void> broadcast(std::span<std::byte> buffer, int root) = 0;
    /// On the GPU's memory only.
    virtual Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
    virtual Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) = 0;
};

/// One for a GPU.
class Plugin
{
public:
    virtual ~Plugin() = default;
    /// The GPU that groups will be on. First of all, and once.
    virtual Result<Device> use(int index) = 0;
    /// Returns the stream (a cudaStream_t) on which groups enqueue all their work with the GPU's memory.
    virtual void* stream() const = 0;
    virtual bool isOnDevice(const void* memory) const = 0;
    /// Names the libnccl that is used and says why: "2.28.9 (libtorch's, /…/libnccl.so.2)".
    virtual std::string nccl() const = 0;
    virtual Result<GroupId> newGroup() = 0;
    /// Collective among the group's ranks.
    virtual Result<std::unique_ptr<DeviceGroup>> join(const GroupPlace& place) = 0;
};

/// The one symbol of the plug-in, of this name. Nothing else of a plug-in with another interface is read.
struct PluginEntry
{
    int interface;
    const char* version;                       ///< of Ringside
    Result<std::unique_ptr<Plugin>> (*make)(); ///< fails where libnccl cannot be loaded
};
inline constexpr const char* kEntryName = "ringsideCudaPlugin";

} // namespace ringside::cuda
