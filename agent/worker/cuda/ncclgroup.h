// SPDX-License-Identifier: MIT
// One NCCL communicator, whose calls never block inside NCCL: they are asked about until they are enqueued, have failed
// or exceed the limit, and what was enqueued may be asked about, too; then all communicators of the stream are aborted.
#pragma once

#include "agent/worker/cuda/nccllibrary.h"
#include "agent/worker/cuda/plugin.h"
#include "agent/worker/cuda/stagingring.h"
#include "core/base/backoff.h"

#include <functional>
#include <optional>
#include <vector>

namespace ringside::cuda {

/// A wait that asks eagerly at first, then now and then, and ends at its limit.
class Patience
{
public:
    explicit Patience(std::chrono::milliseconds limit);
    bool isOver() const { return std::chrono::steady_clock::now() >= m_end; }
    void pause() const { m_backoff.pause(); }

private:
    std::chrono::steady_clock::time_point m_end;
    Backoff m_backoff;
};

class NcclGroup;

/// The stream that all groups on a GPU share, so that their calls follow one another; where one is stuck, all are.
struct SharedStream
{
    int device = 0;
    cudaStream_t stream = nullptr;
    std::vector<NcclGroup*> groups;
};

bool isOnDevice(const void* memory);

class NcclGroup : public DeviceGroup
{
public:
    /// Stores the reference.
    static Result<std::unique_ptr<DeviceGroup>> join(std::shared_ptr<const NcclLibrary> nccl, SharedStream& shared,
                                                     const GroupPlace& place);
    ~NcclGroup() override;

    Result<void> allReduceSum(Numbers buffer) override;
    Result<void> reduceSum(Numbers buffer, int root) override;
    Result<void> reduceScatterSum(Numbers buffer) override;
    Result<void> allGatherParts(Numbers buffer) override;
    Result<void> broadcast(std::span<std::byte> buffer, int root) override;
    Result<void> allGather(std::span<const std::byte> mine, std::span<std::byte> all) override;
    Result<void> allToAll(std::span<const std::byte> out, std::span<std::byte> in) override;
    Result<std::unique_ptr<Transfer>> enqueued() override;

private:
    class Enqueued;
    /// Elements on the GPU; `first` is how many of the caller's buffer lie before them.
    struct Piece
    {
        std::byte* data;
        std::size_t first;
        std::size_t count;
    };
    /// A buffer in NCCL's terms.
    struct Buffer
    {
        std::span<std::byte> bytes;
        ncclDataType_t type;
        std::size_t bytesEach;
    };
    using Enqueue = std::function<ncclResult_t(const Piece&)>;
    using EnqueuePart = std::function<ncclResult_t(std::byte* part, std::size_t count, int owner)>;

    NcclGroup(std::shared_ptr<const NcclLibrary> nccl, SharedStream& shared, const GroupPlace& place);
    Result<void> enter();
    static Buffer bufferOf(const Numbers& numbers);

    Result<void> begin();
    Result<void> run(const Buffer& buffer, const char* call, const Enqueue& enqueue);
    Result<void> runStaged(const Buffer& buffer, const char* call, const Enqueue& enqueue);
    template <class Call> ncclResult_t asOne(const Call& call);
    ncclResult_t ofEachPart(const Piece& piece, std::size_t total, std::size_t bytesEach, const EnqueuePart& enqueue);
    bool isWholeAndEven(const Piece& piece, std::size_t total) const;

    Result<void> settle(ncclResult_t returned, const char* call);
    Result<void> await(cudaEvent_t event);
    Result<bool> hasHappened(cudaEvent_t event, const Patience& patience);
    Result<void> ask();
    Result<void> judge(ncclResult_t state);
    tl::unexpected<Error> lose(ErrorCode code, const std::string& why,
                               const char* hint = "Another rank has probably ended or waits; see its log.");
    void end(const Error& error);
    bool leave();

    std::shared_ptr<const NcclLibrary> m_nccl;
    SharedStream& m_shared;
    GroupPlace m_place;
    ncclComm_t m_comm = nullptr;
    const char* m_call = "";             ///< the last one
    std::unique_ptr<StagingRing> m_ring; ///< made when host memory first comes
    std::optional<Error> m_lost;         ///< why the group ended
};

} // namespace ringside::cuda
