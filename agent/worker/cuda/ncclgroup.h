// SPDX-License-Identifier: MIT
// One NCCL communicator, whose calls never block inside NCCL: they are asked about until they are done, have failed or
// exceed the limit, and then the communicator is aborted.
#pragma once

#include "agent/worker/cuda/nccllibrary.h"
#include "agent/worker/cuda/plugin.h"
#include "agent/worker/cuda/stagingring.h"

#include <deque>
#include <optional>
#include <vector>

namespace ringside::cuda {

/// A wait that asks eagerly at first, then now and then, and ends at its limit.
class Patience
{
public:
    using Clock = std::chrono::steady_clock;

    explicit Patience(std::chrono::milliseconds limit)
        : m_began(Clock::now())
        , m_limit(limit)
    {
    }
    bool isOver() const { return Clock::now() - m_began >= m_limit; }
    void pause() const;

private:
    Clock::time_point m_began;
    std::chrono::milliseconds m_limit;
};

class NcclGroup : public DeviceGroup
{
public:
    static Result<std::unique_ptr<DeviceGroup>> join(std::shared_ptr<const NcclLibrary> nccl, int device,
                                                     const GroupPlace& place);
    ~NcclGroup() override;

    Result<void> allReduceSum(Numbers buffer) override;
    Result<void> reduceSum(Numbers buffer, int root) override;
    Result<void> reduceScatterSum(Numbers buffer) override;
    Result<void> allGatherParts(Numbers buffer) override;
    Result<void> broadcast(std::span<std::byte> buffer, int root) override;
    Result<void> start(Numbers numbers, void* after) override;
    Result<std::optional<std::chrono::nanoseconds>> settleOldest() override;

private:
    /// Elements on the GPU; `first` is how many of the caller's buffer lie before them.
    struct Piece
    {
        std::byte* data;
        std::size_t first;
        std::size_t count;
    };
    /// What NCCL calls a buffer.
    struct Buffer
    {
        std::span<std::byte> bytes;
        ncclDataType_t type;
        std::size_t bytesEach;
    };
    /// A sum that is queued on the GPU: what its stream passes before and behind it.
    struct Queued
    {
        cudaEvent_t began = nullptr;
        cudaEvent_t done = nullptr;
        Patience patience;
    };
    using Enqueue = std::function<ncclResult_t(const Piece&)>;
    using EnqueuePart = std::function<ncclResult_t(std::byte* part, std::size_t count, int owner)>;

    NcclGroup(std::shared_ptr<const NcclLibrary> nccl, int device, const GroupPlace& place);
    Result<void> enter();
    static Buffer bufferOf(const Numbers& numbers);

    Result<void> run(const Buffer& buffer, const char* call, const Enqueue& enqueue);
    Result<void> runStaged(const Buffer& buffer, const char* call, const Enqueue& enqueue);
    ncclResult_t ofEachPart(const Piece& piece, std::size_t total, std::size_t bytesEach, const EnqueuePart& enqueue);
    bool isWholeAndEven(const Piece& piece, std::size_t total) const;

    Result<void> settle(ncclResult_t returned, const char* call);
    Result<void> await(cudaEvent_t event, const char* call);
    Result<bool> hasHappened(cudaEvent_t event, const char* call, const Patience& patience);
    Result<Queued> takeEvents();
    Result<void> judge(ncclResult_t state, const char* call);
    tl::unexpected<Error> lose(ErrorCode code, const std::string& why);
    bool leave();

    std::shared_ptr<const NcclLibrary> m_nccl;
    int m_device;
    GroupPlace m_place;
    ncclComm_t m_comm = nullptr;
    cudaStream_t m_stream = nullptr;
    cudaEvent_t m_done = nullptr;
    std::deque<Queued> m_queued;         ///< the oldest first
    std::vector<Queued> m_free;          ///< whose events serve the next ones
    std::unique_ptr<StagingRing> m_ring; ///< made when host memory first comes
    std::optional<Error> m_lost;         ///< why the group ended
};

} // namespace ringside::cuda
