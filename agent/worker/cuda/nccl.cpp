// SPDX-License-Identifier: MIT
// NCCL for sums and broadcasts, and for everything in a GPU's memory, over another backend by which the ranks already
// know each other: that one carries the rest (single messages, votes, barriers), from host to host. NCCL is called by
// the CUDA plug-in.
#include "agent/worker/cuda/nccl.h"

#include "agent/worker/cuda/pluginloader.h"
#include "core/base/environment.h"

#include <cstdlib>

namespace ringside {

namespace {

/// Far longer than a rank is late for good reasons; the runner ends an attempt that hangs sooner.
constexpr std::chrono::minutes kLimit{5};

/// RINGSIDE_NCCL_LIMIT_S, for who needs another.
std::chrono::milliseconds limitOfCalls()
{
    const char* seconds = environment("RINGSIDE_NCCL_LIMIT_S");
    const double given = seconds ? std::atof(seconds) : 0;
    return given > 0 ? std::chrono::milliseconds(static_cast<std::int64_t>(given * 1000)) : kLimit;
}

/// This rank's GPU, with what calls NCCL on it. Groups that a communicator is split into share it.
struct Gpu
{
    std::unique_ptr<cuda::Plugin> plugin;
    cuda::Device device;
};

class NcclCommunicator : public Communicator
{
public:
    NcclCommunicator(std::unique_ptr<Communicator> host, std::shared_ptr<Gpu> gpu,
                     std::unique_ptr<cuda::DeviceGroup> group)
        : m_host(std::move(host))
        , m_gpu(std::move(gpu))
        , m_group(std::move(group))
    {
    }

    int rank() const override { return m_host->rank(); }
    int worldSize() const override { return m_host->worldSize(); }
    int localRank() const override { return m_host->localRank(); }
    std::string transport() const override
    {
        const std::string host = m_host->transport(); // and how that sums, which NCCL does
        return fmt::format("nccl {} on {}, beside {}", m_gpu->plugin->nccl(), m_gpu->device.name,
                           host.substr(0, host.find(';')));
    }
    std::string gpu() const override { return m_gpu->device.pciBus; }
    void* stream() const override { return m_gpu->plugin->stream(); }
    Result<std::unique_ptr<Transfer>> enqueued() override { return m_group->enqueued(); }

    Result<void> allReduceSum(Numbers buffer) override { return m_group->allReduceSum(buffer); }
    Result<void> reduceSum(Numbers buffer, int root) override { return m_group->reduceSum(buffer, root); }
    Result<void> reduceScatterSum(Numbers buffer) override { return m_group->reduceScatterSum(buffer); }
    Result<void> allGatherParts(Numbers buffer) override { return m_group->allGatherParts(buffer); }
    Result<void> broadcast(std::span<std::byte> buffer, int root) override { return m_group->broadcast(buffer, root); }

    Result<void> sumVotes(std::span<float> votes) override { return m_host->sumVotes(votes); }
    Result<void> allReduceAnd(std::span<std::uint64_t> bits) override { return m_host->allReduceAnd(bits); }
    Result<void> barrier() override { return m_host->barrier(); }
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override
    {
        return isOnGpu(all) ? m_group->allGather(mine, all) : m_host->allGather(mine, all);
    }
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        return isOnGpu(in) ? m_group->allToAll(out, in) : m_host->allToAll(out, in);
    }
    using Communicator::receive;
    using Communicator::send;
    Result<void> send(std::span<const std::byte> message, int to, int tag) override
    {
        return m_host->send(message, to, tag);
    }
    Result<void> receive(std::span<std::byte> message, int from, int tag) override
    {
        return m_host->receive(message, from, tag);
    }
    Result<std::unique_ptr<Transfer>> startSend(std::span<const std::byte> message, int to, int tag) override
    {
        return m_host->startSend(message, to, tag);
    }
    Result<std::unique_ptr<Transfer>> startReceive(std::span<std::byte> message, int from, int tag) override
    {
        return m_host->startReceive(message, from, tag);
    }
    Result<Envelope> awaitMessage() override { return m_host->awaitMessage(); }
    Result<std::unique_ptr<Communicator>> split(int colour) override;
    void abort(int exitCode) override { m_host->abort(exitCode); }

private:
    bool isOnGpu(std::span<std::byte> memory) const { return m_gpu->plugin->isOnDevice(memory.data()); }

    std::unique_ptr<Communicator> m_host;
    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<cuda::DeviceGroup> m_group;
};

constexpr std::size_t kReasonBytes = 500; // ranks exchange their reasons in pieces of one size

/// A step of each rank by itself before all go on together: where it failed on one, no rank waits for it, and all
/// report why.
template <class T> Result<T> onAll(Communicator& host, Result<T> mine)
{
    std::string reason = mine ? std::string() : mine.error().text();
    reason.resize(kReasonBytes, '\0');
    TRY_ASSIGN(const std::string reasons, allGather(host, reason));
    for (std::size_t at = 0; mine && at < reasons.size(); at += kReasonBytes)
        if (const std::string other = reasons.substr(at, kReasonBytes).c_str(); !other.empty())
            return fail(ErrorCode::usage, fmt::format("Rank {}: {}", at / kReasonBytes, other));
    return mine;
}

/// The GPU of a rank is that of its place on the host, where it sees several.
Result<std::shared_ptr<Gpu>> openGpu(int localRank)
{
    TRY_ASSIGN(auto plugin, cuda::loadPlugin());
    TRY_ASSIGN(const int gpus, cuda::gpuCount());
    TRY_ASSIGN(const cuda::Device device, plugin->use(localRank % gpus));
    return std::make_shared<Gpu>(Gpu{std::move(plugin), device});
}

Result<std::unique_ptr<cuda::DeviceGroup>> join(Communicator& host, Gpu& gpu)
{
    const bool first = host.rank() == 0;
    TRY_ASSIGN(auto id, onAll(host, first ? gpu.plugin->newGroup() : Result<cuda::GroupId>(cuda::GroupId{})));
    TRY(host.broadcast(id, 0));
    return gpu.plugin->join({id, host.rank(), host.worldSize(), limitOfCalls()});
}

Result<std::unique_ptr<Communicator>> NcclCommunicator::split(int colour)
{
    TRY_ASSIGN(auto part, m_host->split(colour));
    TRY_ASSIGN(auto group, join(*part, *m_gpu));
    return std::make_unique<NcclCommunicator>(std::move(part), m_gpu, std::move(group));
}

/// Returns it as an error of the setting, which asks for something that the host lacks.
Error asSetting(Error error)
{
    error.code = ErrorCode::usage;
    error.message = "Setting backend is “nccl”. " + error.message;
    return error;
}

} // namespace

Result<std::unique_ptr<Communicator>> makeNcclCommunicator(std::unique_ptr<Communicator>& host)
{
    TRY_ASSIGN(auto gpu, onAll(*host, openGpu(host->localRank()).map_error(asSetting)));
    TRY_ASSIGN(auto group, join(*host, *gpu));
    return std::make_unique<NcclCommunicator>(std::move(host), std::move(gpu), std::move(group));
}

Result<void> useBackend(Backend backend, std::unique_ptr<Communicator>& communicator)
{
    if (backend == Backend::nccl && communicator->worldSize() > 1) {
        TRY_ASSIGN(communicator, makeNcclCommunicator(communicator));
    }
    return {};
}

} // namespace ringside
