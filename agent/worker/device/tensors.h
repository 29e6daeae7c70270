// SPDX-License-Identifier: MIT
// Tensors as ranges of numbers.
#pragma once

#include "agent/worker/device/streams.h"

#include <ATen/ATen.h>
#include <span>

namespace ringside {

/// The numbers of a dense fp32 tensor in the order of its memory.
inline std::span<float> numbersOf(const at::Tensor& tensor)
{
    return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// The other way round: numbers in the device's memory, which stay their owner's.
inline at::Tensor viewOf(std::span<float> numbers, c10::Device device)
{
    return at::for_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())})
        .options(at::TensorOptions(at::kFloat).device(device))
        .target_device(device) // else the driver is asked where it lies
        .make_tensor();
}

inline std::span<std::byte> memoryOf(const at::Tensor& dense)
{
    return {static_cast<std::byte*>(dense.mutable_data_ptr()), dense.nbytes()};
}

/// Floats in the memory of the device, which are there when it returns. As messages that are sent to be timed their sum
/// stays what it is.
inline at::Tensor zerosOn(c10::Device device, std::uint64_t bytes)
{
    at::Tensor zeros = at::zeros({static_cast<std::int64_t>(bytes / sizeof(float))}, device);
    if (!device.is_cpu())
        c10::impl::getDeviceGuardImpl(device.type())->synchronizeDevice(device.index());
    return zeros;
}

} // namespace ringside
