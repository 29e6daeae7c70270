// SPDX-License-Identifier: MIT
#include "agent/worker/plans/gradientstage.h"

#include "agent/worker/device/tensors.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace ringside {

namespace {

constexpr bool kAsynchronous = true;

} // namespace

GradientStage::GradientStage(c10::Device device, bool throughHost)
    : m_device(device)
    , m_throughHost(throughHost && !device.is_cpu())
{
    if (m_throughHost)
        m_copies = streamBeside(device);
}

Payload GradientStage::offer(std::size_t place, const at::Tensor& numbers)
{
    if (m_device.is_cpu())
        return numbersOf(numbers);
    Place& there = m_places.try_emplace(place, m_device.type()).first->second;
    if (m_throughHost)
        return bring(there, numbers);
    there.there.record(currentStream(m_device));
    return {numbersOf(numbers), &there.there};
}

/// In one piece and in the order of memory, whatever the strides are.
Payload GradientStage::bring(Place& place, const at::Tensor& numbers)
{
    const at::NoGradGuard noGraph;
    place.numbers = numbers.detach().as_strided({numbers.numel()}, {1});
    if (!place.pinned.defined())
        place.pinned = at::empty({numbers.numel()}, at::TensorOptions(at::kFloat).pinned_memory(true));
    place.computed.record(currentStream(m_device));
    const c10::StreamGuard onStream(*m_copies);
    place.computed.block(*m_copies);
    place.pinned.copy_(place.numbers, kAsynchronous);
    place.there.record(*m_copies);
    return {numbersOf(place.pinned), &place.there};
}

void GradientStage::takeBack(std::size_t place)
{
    const auto found = m_places.find(place);
    if (found == m_places.end() || !found->second.numbers.defined())
        return;
    const at::NoGradGuard noGraph;
    found->second.numbers.copy_(found->second.pinned, kAsynchronous);
    found->second.numbers.reset();
}

std::span<float> GradientStage::fetch(std::size_t place, const at::Tensor& numbers)
{
    if (m_device.is_cpu())
        return numbersOf(numbers);
    Place& there = m_places.try_emplace(place, m_device.type()).first->second;
    const Payload payload = bring(there, numbers);
    there.there.synchronize();
    there.numbers.reset();
    return payload.numbers;
}

} // namespace ringside
