// SPDX-License-Identifier: GPL-3.0-or-later
// Between a conductor and its listener: once closed, the conductor's reports are dropped while it ends aside.
#pragma once

#include "core/conductor/sink.h"

#include <mutex>

namespace ringside {

/// Called on the conductor's threads. `to` must outlive the gate.
class SinkGate : public Sink
{
public:
    explicit SinkGate(Sink& to)
        : m_to(to)
    {
    }

    /// Any thread. When it returns, nothing goes through any more.
    void close()
    {
        const std::lock_guard lock(m_mutex);
        m_isOpen = false;
    }

    void experimentsChanged(const std::vector<std::string>& names) override { pass(&Sink::experimentsChanged, names); }
    void runsChanged(const std::vector<store::RunRow>& rows) override { pass(&Sink::runsChanged, rows); }
    void samplesArrived(const SampleBatch& batch) override { pass(&Sink::samplesArrived, batch); }
    void telemetryArrived(const TelemetryBatch& batch) override { pass(&Sink::telemetryArrived, batch); }
    void clocksArrived(const ClockBatch& batch) override { pass(&Sink::clocksArrived, batch); }
    void logArrived(const LogText& text) override { pass(&Sink::logArrived, text); }
    void siteChanged(const SiteStatus& status) override { pass(&Sink::siteChanged, status); }
    void siteStepped(const SiteStep& step) override { pass(&Sink::siteStepped, step); }
    void siteFound(const std::string& site, const std::vector<SiteFact>& facts) override
    {
        pass(&Sink::siteFound, site, facts);
    }
    void problem(const Error& error) override { pass(&Sink::problem, error); }

    /// Calls `deliver` while the gate is open, and close() waits for it: it must return at once.
    template <class Deliver> void pass(const Deliver& deliver)
    {
        const std::lock_guard lock(m_mutex);
        if (m_isOpen)
            deliver();
    }

private:
    template <class... Said, class... Values> void pass(void (Sink::*say)(Said...), const Values&... values)
    {
        pass([&] { (m_to.*say)(values...); });
    }

    Sink& m_to;
    std::mutex m_mutex;
    bool m_isOpen = true;
};

} // namespace ringside
