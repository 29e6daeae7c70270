// SPDX-License-Identifier: MIT
#pragma once

#include "agent/worker/models/classifier.h"

#include <ATen/autocast_mode.h>

namespace ringside {

/// bf16 as PyTorch's autocast does it: convolutions and products in bf16, sums and losses in fp32. On for the forward
/// pass of this thread; casts of weights are cached for the pass and dropped after it.
class Autocast
{
public:
    explicit Autocast(Precision precision, c10::DeviceType device = c10::kCPU)
        : m_on(precision == Precision::bf16)
        , m_device(device)
    {
        if (!m_on)
            return;
        at::autocast::set_autocast_dtype(m_device, at::kBFloat16);
        at::autocast::set_autocast_enabled(m_device, true);
        at::autocast::set_autocast_cache_enabled(true);
        at::autocast::increment_nesting();
    }
    ~Autocast()
    {
        if (!m_on)
            return;
        if (at::autocast::decrement_nesting() == 0)
            at::autocast::clear_cache();
        at::autocast::set_autocast_enabled(m_device, false);
    }
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

private:
    bool m_on;
    c10::DeviceType m_device;
};

} // namespace ringside
