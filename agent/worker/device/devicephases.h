// SPDX-License-Identifier: MIT
// The phases of a device's compute stream: an event at every border that the phase clock passes, read one iteration
// later, when the device has long passed it. Nothing waits for the device meanwhile.
#pragma once

#include "agent/worker/device/streams.h"
#include "agent/worker/timing/phaseclock.h"

#include <deque>
#include <optional>
#include <vector>

namespace ringside {

/// Compute thread only. A wait of the host with nothing enqueued is idle time of the stream, and belongs to the phase
/// in which the host waited; a wait while the stream still works costs it nothing and is in no phase.
class DevicePhases : public PhaseObserver
{
public:
    /// `serialised`: the host waits at each border until the device has passed it and does nothing else, copies and
    /// collectives beside the compute stream included, so no phase hides what was enqueued in another.
    explicit DevicePhases(c10::Device device, bool serialised = false);

    /// Waits for the device, whose time is laid beside the host's here.
    void began() override;
    void entered(Phase phase) override;
    void turned() override;

    /// The oldest iteration that has turned and was not read yet, by the device's time; its start is CLOCK_MONOTONIC.
    /// Blocks until the device has ended it.
    PhaseClock::Iteration read();
    /// Returns the beginning of the iteration that was read last.
    const c10::Event& start() const { return *m_start; }

private:
    struct Border
    {
        c10::Event event;
        Phase phase; ///< that begins here
        bool isTurn;
        std::int64_t enqueuedNs; ///< CLOCK_MONOTONIC: the device passes it later
    };

    void mark(Phase phase, bool isTurn);
    void fitTo(const Border& end, PhaseClock::Iteration& iteration) const;

    c10::Device m_device;
    bool m_serialised;
    std::deque<Border> m_borders; ///< from the beginning of the oldest iteration that was not read
    std::vector<c10::Event> m_free;
    std::optional<c10::Event> m_start; ///< of the last one that was read
    std::uint32_t m_seq = 0;
    std::int64_t m_startNs = 0; ///< of the oldest iteration that was not read
};

} // namespace ringside
