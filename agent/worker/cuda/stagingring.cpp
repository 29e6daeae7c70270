// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/stagingring.h"

#include <algorithm>
#include <cstring>

namespace ringside::cuda {

namespace {

Result<void> makeEvent(cudaEvent_t& event)
{
    return check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

Result<void> makeStream(cudaStream_t& stream)
{
    return check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

} // namespace

Result<std::unique_ptr<StagingRing>> StagingRing::create()
{
    std::unique_ptr<StagingRing> ring(new StagingRing);
    TRY(makeStream(ring->m_in));
    TRY(makeStream(ring->m_out));
    for (Slot& slot : ring->m_slots)
        TRY(make(slot));
    return ring;
}

Result<void> StagingRing::make(Slot& slot)
{
    void* memory = nullptr;
    TRY(check(cudaHostAlloc(&memory, kPieceBytes, cudaHostAllocDefault), "cudaHostAlloc"));
    slot.pinned = static_cast<std::byte*>(memory);
    TRY(check(cudaMalloc(&memory, kPieceBytes), "cudaMalloc"));
    slot.device = static_cast<std::byte*>(memory);
    TRY(makeEvent(slot.there));
    TRY(makeEvent(slot.worked));
    return makeEvent(slot.back);
}

/// Members that were not made are null, which CUDA's functions accept or refuse without harm.
StagingRing::~StagingRing()
{
    for (const Slot& slot : m_slots) {
        for (const cudaEvent_t event : {slot.there, slot.worked, slot.back})
            if (event)
                cudaEventDestroy(event);
        cudaFree(slot.device);
        cudaFreeHost(slot.pinned);
    }
    for (const cudaStream_t stream : {m_in, m_out})
        if (stream)
            cudaStreamDestroy(stream);
}

Result<void> StagingRing::through(std::span<std::byte> buffer, cudaStream_t worker, const Work& work,
                                  const Await& await)
{
    for (Slot& slot : m_slots)
        slot.home = {}; // of a call that failed
    std::size_t turn = 0;
    for (std::size_t first = 0; first < buffer.size(); first += kPieceBytes) {
        Slot& slot = m_slots[turn++ % m_slots.size()];
        TRY(take(slot, await));
        slot.home = buffer.subspan(first, std::min(kPieceBytes, buffer.size() - first));
        TRY(send(slot, worker, first, work));
    }
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        TRY(take(m_slots[turn++ % m_slots.size()], await));
    return {};
}

Result<void> StagingRing::send(Slot& slot, cudaStream_t worker, std::size_t first, const Work& work)
{
    const std::size_t bytes = slot.home.size();
    std::memcpy(slot.pinned, slot.home.data(), bytes);
    TRY(check(cudaMemcpyAsync(slot.device, slot.pinned, bytes, cudaMemcpyHostToDevice, m_in), "cudaMemcpyAsync"));
    TRY(check(cudaEventRecord(slot.there, m_in), "cudaEventRecord"));
    TRY(check(cudaStreamWaitEvent(worker, slot.there, 0), "cudaStreamWaitEvent"));
    TRY(work(slot.device, first, bytes));
    TRY(check(cudaEventRecord(slot.worked, worker), "cudaEventRecord"));
    TRY(check(cudaStreamWaitEvent(m_out, slot.worked, 0), "cudaStreamWaitEvent"));
    TRY(check(cudaMemcpyAsync(slot.pinned, slot.device, bytes, cudaMemcpyDeviceToHost, m_out), "cudaMemcpyAsync"));
    return check(cudaEventRecord(slot.back, m_out), "cudaEventRecord");
}

Result<void> StagingRing::take(Slot& slot, const Await& await)
{
    if (slot.home.empty())
        return {};
    TRY(await(slot.back));
    std::memcpy(slot.home.data(), slot.pinned, slot.home.size());
    slot.home = {};
    return {};
}

} // namespace ringside::cuda
