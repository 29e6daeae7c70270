// SPDX-License-Identifier: MIT
// The way of gradients from where they are computed to where they are exchanged, and back.
#pragma once

#include "agent/worker/device/streams.h"
#include "agent/worker/plans/payload.h"

#include <ATen/core/Tensor.h>
#include <map>
#include <optional>

namespace ringside {

/// On the CPU there is no way: a payload is the gradients themselves. On a GPU, too, where the exchange works on the
/// GPU's memory; else they go through page-locked memory of the host, by a stream beside the one that computes. Called
/// by the compute thread, and by gradient hooks while that waits for backward.
class GradientStage
{
public:
    /// `throughHost`: the exchange works on the host's memory only.
    GradientStage(c10::Device device, bool throughHost);

    /// Offers numbers (dense, fp32) computed by the work enqueued so far; the same place has the same size each time.
    /// The tensor stays until the payload was exchanged.
    Payload offer(std::size_t place, const at::Tensor& numbers);
    /// Work enqueued from now on finds the exchanged numbers in the tensor. At most once after an offer.
    void takeBack(std::size_t place);
    /// Waits for numbers that are not copied back.
    std::span<float> fetch(std::size_t place, const at::Tensor& numbers);

private:
    struct Place
    {
        explicit Place(c10::DeviceType device)
            : computed(device)
            , there(device)
        {
        }
        at::Tensor numbers; ///< as they lie in memory; undefined: none is to come back
        at::Tensor pinned;
        c10::Event computed, there;
    };

    Payload bring(Place& place, const at::Tensor& numbers);

    c10::Device m_device;
    bool m_throughHost;
    std::optional<c10::Stream> m_copies;
    std::map<std::size_t, Place> m_places;
};

} // namespace ringside
