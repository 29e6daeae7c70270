// SPDX-License-Identifier: MIT
#include "agent/worker/device/sidestream.h"

#include <ATen/ATen.h>

namespace ringside {

SideStream::SideStream(c10::Device device)
    : m_device(device)
{
    if (device.is_cpu())
        return;
    m_stream = streamBeside(device);
    m_done.emplace(device.type());
}

at::Tensor SideStream::view(std::span<float> numbers) const
{
    return at::for_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())})
        .options(at::TensorOptions(at::kFloat).device(m_device))
        .target_device(m_device) // else the driver is asked where it lies
        .make_tensor();
}

void SideStream::await()
{
    if (!m_stream)
        return;
    m_done->record(*m_stream);
    awaitEvent(*m_done);
}

} // namespace ringside
