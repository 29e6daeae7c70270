// SPDX-License-Identifier: MIT
#include "agent/worker/device/devicephases.h"

#include <algorithm>
#include <numeric>

namespace ringside {

namespace {

std::int64_t& timeOf(PhaseClock::Iteration& iteration, Phase phase)
{
    return iteration.phases[static_cast<std::size_t>(phase)];
}

} // namespace

DevicePhases::DevicePhases(c10::Device device, bool serialised)
    : m_device(device)
    , m_serialised(serialised)
{
}

void DevicePhases::began()
{
    m_borders.clear();
    m_seq = 0;
    c10::impl::getDeviceGuardImpl(m_device.type())->synchronizeDevice(m_device.index());
    mark(Phase::other, true);
    m_borders.front().event.synchronize();
    m_startNs = monotonicNs();
}

void DevicePhases::entered(Phase phase)
{
    mark(phase, false);
}

void DevicePhases::turned()
{
    mark(Phase::other, true);
}

void DevicePhases::mark(Phase phase, bool isTurn)
{
    if (m_free.empty())
        m_free.push_back(timedEvent(m_device));
    m_borders.push_back({std::move(m_free.back()), phase, isTurn, monotonicNs()});
    m_free.pop_back();
    m_borders.back().event.record(currentStream(m_device));
    if (m_serialised)
        c10::impl::getDeviceGuardImpl(m_device.type())->synchronizeDevice(m_device.index());
}

PhaseClock::Iteration DevicePhases::read()
{
    const auto end = std::find_if(m_borders.begin() + 1, m_borders.end(), [](const Border& b) { return b.isTurn; });
    end->event.synchronize();
    PhaseClock::Iteration iteration{m_seq++, m_startNs, {}};
    for (auto border = m_borders.begin(); border != end; ++border)
        timeOf(iteration, border->phase) += nsBetween(border->event, (border + 1)->event);
    fitTo(*end, iteration);
    m_startNs += std::accumulate(iteration.phases.begin(), iteration.phases.end(), std::int64_t{0});
    if (m_start)
        m_free.push_back(*std::move(m_start));
    m_start = std::move(m_borders.front().event);
    for (auto border = m_borders.begin() + 1; border != end; ++border)
        m_free.push_back(std::move(border->event));
    m_borders.erase(m_borders.begin(), end);
    return iteration;
}

/// The device's clock runs at another speed, by some millionths, and its times are rounded. But a border is passed
/// after it was enqueued and before it is seen to be passed, by the host's clock: what contradicts that is corrected in
/// phase other, so that iterations still touch each other.
void DevicePhases::fitTo(const Border& end, PhaseClock::Iteration& iteration) const
{
    const auto endNs = std::accumulate(iteration.phases.begin(), iteration.phases.end(), m_startNs);
    std::int64_t& other = timeOf(iteration, Phase::other);
    const auto nowNs = monotonicNs();
    if (endNs < end.enqueuedNs)
        other += end.enqueuedNs - endNs;
    else if (endNs > nowNs)
        other -= std::min(other, endNs - nowNs);
}

} // namespace ringside
