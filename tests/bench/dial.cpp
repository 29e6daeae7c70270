// SPDX-License-Identifier: MIT
// The time until a site works, at round trips of 0, 10 and 50 ms: the first time (connect, sign in, bring the agent,
// submit a campaign), and again later (connect, sign in, start the agent that is there); beside the time that OpenSSH
// needs to run `true` there.
#include "core/base/clock.h"
#include "core/spec/toml.h"
#include "tests/bench/support/benchsite.h"
#include "tests/bench/support/numbers.h"
#include "tests/bench/support/waitingsink.h"
#include "tests/support/lenetexperiment.h"
#include "tests/support/waitingconductor.h"

#include <future>

using namespace ringside;
using namespace ringside::bench;

namespace {

constexpr int kTries = 5;
constexpr std::array kRoundTripsMs = {0, 10, 50};

struct Readings
{
    std::vector<double> firstMs, againMs, sshMs;
};

double since(std::int64_t beganNs)
{
    return double(monotonicNs() - beganNs) / 1e6;
}

/// A new site and a new store each time; only the host's key is on record.
void dial(const BenchSite& site, const std::string& name, Readings& readings)
{
    site.describe(site.root() / name);
    WaitingSink sink;
    const auto conductor = must(test::WaitingConductor::open(site.options(name + ".db"), sink));
    const auto experiment = must(spec::parseExperiment(test::lenetExperiment("dial", "ranks = [1]", 1, 3)));
    must(conductor->saveExperiment(experiment));
    std::int64_t beganNs = monotonicNs();
    must(conductor->launch({experiment.name, BenchSite::kName}));
    readings.firstMs.push_back(since(beganNs));
    must(sink.ends());

    must(conductor->disconnectSite(BenchSite::kName));
    must(sink.contact(BenchSite::kName, SiteStatus::Contact::lost));
    beganNs = monotonicNs();
    auto ready = std::async(std::launch::async, [&] { return conductor->prepareSite(BenchSite::kName); });
    must(sink.contact(BenchSite::kName, SiteStatus::Contact::connected));
    readings.againMs.push_back(since(beganNs));
    must(ready.get());

    beganNs = monotonicNs();
    test::shell(fmt::format("ssh -F {} {} true", site.sshConfig().string(), BenchSite::kName));
    readings.sshMs.push_back(since(beganNs));
}

void print(const std::string& name, int roundTripMs, const std::vector<double>& readings)
{
    fmt::print("dial.{}_{}ms {:.0f} ms -  # {:.0f} to {:.0f}, {} tries\n", name, roundTripMs, median(readings),
               quantile(readings, 0), quantile(readings, 1), readings.size());
}

} // namespace

int main()
{
    BenchSite site;
    for (const int roundTripMs : kRoundTripsMs) {
        site.setRoundTrip(std::chrono::milliseconds(roundTripMs));
        Readings readings;
        for (int i = 0; i < kTries; ++i)
            dial(site, fmt::format("{}-{}", roundTripMs, i), readings);
        print("first", roundTripMs, readings.firstMs);
        print("again", roundTripMs, readings.againMs);
        print("openssh", roundTripMs, readings.sshMs);
    }
    return 0;
}
