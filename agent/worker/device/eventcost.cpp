// SPDX-License-Identifier: MIT
#include "agent/worker/device/eventcost.h"

#include "agent/worker/device/streams.h"
#include "core/base/clock.h"

#include <vector>

namespace ringside {

namespace {

constexpr int kEvents = 1'000;

void recordAll(std::vector<c10::Event>& events, c10::Device device)
{
    for (c10::Event& event : events)
        event.record(currentStream(device));
}

} // namespace

double measureNsPerEvent(c10::Device device)
{
    std::vector<c10::Event> events;
    for (int i = 0; i < kEvents; ++i)
        events.push_back(timedEvent(device));
    recordAll(events, device); // the first record of an event makes it
    events.back().synchronize();
    const auto begin = monotonicNs();
    recordAll(events, device);
    const auto recorded = monotonicNs();
    events.back().synchronize();
    return static_cast<double>(recorded - begin) / kEvents;
}

} // namespace ringside
