// SPDX-License-Identifier: MIT
#include "agent/worker/device/latelosses.h"

#include <ATen/ATen.h>

namespace ringside {

namespace {

constexpr std::size_t kSlots = 4;

} // namespace

LateLosses::LateLosses(c10::Device device)
    : m_device(device)
{
    for (std::size_t i = 0; i < kSlots; ++i)
        m_slots.push_back(
            {at::empty({}, at::TensorOptions(at::kFloat).pinned_memory(true)), c10::Event(device.type())});
}

void LateLosses::put(std::uint32_t seq, const at::Tensor& loss)
{
    Slot& slot = m_slots[seq % kSlots];
    slot.pinned.copy_(loss.detach(), /*non_blocking=*/true);
    slot.there.record(currentStream(m_device));
}

float LateLosses::of(std::uint32_t seq) const
{
    const Slot& slot = m_slots[seq % kSlots];
    slot.there.synchronize();
    return *slot.pinned.const_data_ptr<float>();
}

} // namespace ringside
