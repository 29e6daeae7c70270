// SPDX-License-Identifier: MIT
#include "agent/worker/device/batchring.h"

#include <ATen/ATen.h>
#include <cstring>

namespace ringside {

namespace {

constexpr std::size_t kSlots = 2;  ///< one is computed with, one is filled
constexpr std::size_t kCopies = 4; ///< an iteration is recorded up to two iterations later, with one batch more ahead

/// A tensor of the same sizes and order in memory.
at::Tensor pinnedLike(const at::Tensor& tensor)
{
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().pinned_memory(true));
}

} // namespace

BatchRing::BatchRing(const at::Tensor& inputs, const at::Tensor& labels, c10::Device device)
    : m_device(device)
    , m_stream(streamBeside(device))
{
    for (std::size_t i = 0; i < kSlots; ++i) {
        m_slots.push_back(makeSlot(inputs, labels));
        m_slots.back().read.record(currentStream(device)); // behind the zeros
    }
    for (std::size_t i = 0; i < kCopies; ++i)
        m_copies.push_back({timedEvent(device), timedEvent(device)});
    m_current = &m_slots.front();
}

BatchRing::~BatchRing()
try {
    for (const Copy& copy : m_copies)
        copy.done.synchronize();
    for (const Slot& slot : m_slots)
        slot.read.synchronize();
} catch (const std::exception&) { // a device that has failed copies nothing any more
    return;
}

BatchRing::Slot BatchRing::makeSlot(const at::Tensor& inputs, const at::Tensor& labels) const
{
    return {pinnedLike(inputs), pinnedLike(labels), at::zeros_like(inputs, inputs.options().device(m_device)),
            at::zeros_like(labels, labels.options().device(m_device)), c10::Event(m_device.type())};
}

void BatchRing::bring(const void* inputs, const void* labels)
{
    Slot& slot = m_slots[m_brought % kSlots];
    if (m_brought >= kSlots)
        copyOf(m_brought - kSlots).done.synchronize(); // the page-locked memory is free again
    std::memcpy(slot.pinnedInputs.data_ptr(), inputs, slot.pinnedInputs.nbytes());
    std::memcpy(slot.pinnedLabels.data_ptr(), labels, slot.pinnedLabels.nbytes());
    enqueue(slot, copyOf(m_brought++));
}

void BatchRing::use()
{
    if (m_used > 0)
        m_current->read.record(currentStream(m_device)); // all that reads it is enqueued by now
    m_current = &m_slots[m_used % kSlots];
    copyOf(m_used++).done.block(currentStream(m_device));
}

void BatchRing::enqueue(Slot& slot, Copy& copy)
{
    constexpr bool asynchronous = true;
    const c10::StreamGuard onStream(m_stream);
    slot.read.block(m_stream);
    copy.began.record(m_stream);
    slot.inputs.copy_(slot.pinnedInputs, asynchronous);
    slot.labels.copy_(slot.pinnedLabels, asynchronous);
    copy.done.record(m_stream);
}

std::int64_t BatchRing::copyNs(std::uint64_t batch) const
{
    const Copy& copy = m_copies[batch % m_copies.size()];
    copy.done.synchronize();
    return nsBetween(copy.began, copy.done);
}

} // namespace ringside
