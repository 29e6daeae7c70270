// SPDX-License-Identifier: MIT
// One run whose ranks report far faster than real ones, through the sink that the conductor writes to.
#pragma once

#include "app/session/qtsink.h"

#include <thread>

namespace ringside::test {

/// Feeds from a thread of its own, in batches every 10 ms as they come from the store, until it is destroyed.
class LiveFeed
{
public:
    static constexpr int kRanks = 8;
    static constexpr int kSamplesPerSecond = 20'000;

    /// Adds the run to `experiment`, which the page must be showing, and begins.
    LiveFeed(QtSink& sink, const std::string& experiment);

    /// Says the run's state once more, as a conductor does when other runs begin and end.
    void repeatRun() { m_sink.runsChanged({m_run}); }

private:
    void feed(const std::stop_token& stop) const;

    QtSink& m_sink;
    store::RunRow m_run;
    std::jthread m_thread; // last: it uses the others
};

} // namespace ringside::test
