// SPDX-License-Identifier: MIT
#include "agent/worker/device/stampboard.h"

#include "core/base/clock.h"

namespace ringside {

namespace {

class HostStamps : public StampBoard
{
public:
    void clear(std::size_t stamps) override { m_ns.assign(stamps, 0); }
    bool has(std::size_t stamp) const override { return m_ns[stamp] != 0; }
    void put(std::size_t stamp) override { m_ns[stamp] = monotonicNs(); }
    std::int64_t zero() override { return monotonicNs(); }
    std::int64_t instantOf(const c10::Event&) const override { return 0; }
    std::int64_t since(std::int64_t zeroNs, std::size_t stamp) const override { return m_ns[stamp] - zeroNs; }

private:
    std::vector<std::int64_t> m_ns;
};

/// Instants are counted from the last zero. Events are reused: those of one iteration serve the next one that is
/// observed.
class DeviceStamps : public StampBoard
{
public:
    explicit DeviceStamps(c10::Device device)
        : m_device(device)
        , m_zero(timedEvent(device))
    {
    }

    void clear(std::size_t stamps) override
    {
        m_has.assign(stamps, false);
        while (m_events.size() < stamps)
            m_events.push_back(timedEvent(m_device));
    }
    bool has(std::size_t stamp) const override { return m_has[stamp]; }
    void put(std::size_t stamp) override
    {
        m_events[stamp].record(currentStream(m_device));
        m_has[stamp] = true;
    }
    std::int64_t zero() override
    {
        m_zero.record(currentStream(m_device));
        return 0;
    }
    std::int64_t instantOf(const c10::Event& event) const override { return -nsSince(event); }
    std::int64_t since(std::int64_t zeroNs, std::size_t stamp) const override
    {
        return -zeroNs - nsSince(m_events[stamp]);
    }

private:
    /// Either may be the later one.
    std::int64_t nsSince(const c10::Event& event) const
    {
        event.synchronize();
        m_zero.synchronize();
        return nsBetween(event, m_zero);
    }

    c10::Device m_device;
    c10::Event m_zero;
    std::vector<c10::Event> m_events;
    std::vector<bool> m_has;
};

} // namespace

std::unique_ptr<StampBoard> makeStampBoard(c10::Device device)
{
    if (device.is_cpu())
        return std::make_unique<HostStamps>();
    return std::make_unique<DeviceStamps>(device);
}

} // namespace ringside
