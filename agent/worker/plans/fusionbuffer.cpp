// SPDX-License-Identifier: MIT
#include "agent/worker/plans/fusionbuffer.h"

#include "agent/worker/device/tensors.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace ringside {

namespace {

std::size_t countOf(const FusionBuffer::Parts& parts)
{
    std::size_t count = 0;
    for (const auto part : parts)
        count += part.size();
    return count;
}

} // namespace

FusionBuffer::FusionBuffer(c10::Device device, std::size_t numbers)
    : m_numbers(at::empty({static_cast<std::int64_t>(numbers)}, at::TensorOptions(at::kFloat).device(device)))
{
}

FusionBuffer::Views FusionBuffer::viewsOf(const Parts& parts) const
{
    Views views;
    std::int64_t first = 0;
    for (const auto part : parts) {
        const auto count = static_cast<std::int64_t>(part.size());
        views.parts.push_back(viewOf(part, m_numbers.device()));
        views.places.push_back(m_numbers.narrow(0, first, count));
        first += count;
    }
    return views;
}

/// On a GPU one operation for all parts: most are small, and a launch each would take longer than copying them.
std::span<float> FusionBuffer::gather(const Parts& parts)
{
    const auto whole = numbersOf(m_numbers).first(countOf(parts));
    if (m_numbers.is_cpu()) {
        auto to = whole.begin();
        for (const auto part : parts)
            to = std::ranges::copy(part, to).out;
        return whole;
    }
    const Views views = viewsOf(parts);
    at::_foreach_copy_(views.places, views.parts);
    return whole;
}

void FusionBuffer::scatter(const Parts& parts)
{
    if (m_numbers.is_cpu()) {
        auto from = numbersOf(m_numbers).begin();
        for (const auto part : parts) {
            std::copy_n(from, part.size(), part.begin());
            from += static_cast<std::ptrdiff_t>(part.size());
        }
        return;
    }
    const Views views = viewsOf(parts);
    at::_foreach_copy_(views.parts, views.places);
}

} // namespace ringside
