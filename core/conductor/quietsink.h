// SPDX-License-Identifier: MIT
// A sink for those who are interested in some of the news only.
#pragma once

#include "core/conductor/sink.h"

namespace ringside {

/// Ignores all news; a derived class overrides what it needs.
struct QuietSink : Sink
{
    void experimentsChanged(const std::vector<std::string>&) override {}
    void runsChanged(const std::vector<store::RunRow>&) override {}
    void samplesArrived(const SampleBatch&) override {}
    void telemetryArrived(const TelemetryBatch&) override {}
    void clocksArrived(const ClockBatch&) override {}
    void logArrived(const LogText&) override {}
    void siteChanged(const SiteStatus&) override {}
    void siteStepped(const SiteStep&) override {}
    void siteFound(const std::string&, const std::vector<SiteFact>&) override {}
    void problem(const Error&) override {}
};

} // namespace ringside
