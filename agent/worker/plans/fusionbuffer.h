// SPDX-License-Identifier: MIT
// Holds the gradients of several tensors one behind the other, to be exchanged as one message.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <span>
#include <vector>

namespace ringside {

/// In the memory that the gradients are in: what a GPU has computed does not leave it, and is copied on the current
/// stream of the thread, which has to be the exchange's. Used by the communication thread only.
class FusionBuffer
{
public:
    using Parts = std::vector<std::span<float>>;

    /// For messages of up to so many numbers. Where there is no memory for them libtorch throws here.
    FusionBuffer(c10::Device device, std::size_t numbers);

    /// The numbers of the parts, in their order. Valid until the next call.
    std::span<float> gather(const Parts& parts);
    /// Copies the buffer's numbers back to the parts.
    void scatter(const Parts& parts);

private:
    struct Views
    {
        std::vector<at::Tensor> parts, places;
    };

    Views viewsOf(const Parts& parts) const;

    at::Tensor m_numbers; ///< as many as the largest message has
};

} // namespace ringside
