// SPDX-License-Identifier: MIT
// One thread that pushes gradients to servers and takes the weights that come back. Open MPI makes progress only inside
// its calls, so while weights are on their way it looks for them, and sleeps between looks: what is pushed next does
// not wait for them.
#pragma once

#include "agent/worker/plans/payload.h"
#include "agent/worker/plans/servers/serverlink.h"
#include "core/protocol/sample.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace ringside {

/// The compute thread calls everything; from `begin` to the end of a successful `awaitAll` nobody else may use the
/// link or its communicator, nor the payload of a unit until it was awaited. After a failure every wait returns the
/// error.
class PushPullThread
{
public:
    /// `order` says of each unit how soon it goes among those that wait: the largest first, equals as they came.
    /// `beforeEach`, if set, runs before each push on the thread and is told whether it is the iteration's last.
    PushPullThread(ServerLink& link, std::vector<std::uint32_t> order, std::function<void(bool)> beforeEach = {});

    /// A new iteration, of which nothing is there.
    void begin();
    /// The payload becomes the weights.
    void push(std::uint32_t unit, Payload payload);
    /// Blocks until the weights of the unit, or of every unit, are there.
    Result<void> awaitUnit(std::uint32_t unit);
    Result<void> awaitAll();
    /// Of the iteration's units, in the order of their starts; startNs is CLOCK_MONOTONIC. After awaitAll.
    const std::vector<BucketTiming>& timings() const { return m_timings; }

private:
    struct Job
    {
        std::uint32_t unit;
        Payload payload;
    };
    struct OnItsWay
    {
        std::size_t timing; ///< index
        ServerLink::Pushed pushed;
    };

    void work(const std::stop_token& stop);
    bool waitForWork(const std::stop_token& stop);
    std::optional<Job> take();
    Result<void> turn();
    Result<void> push(const Job& job);
    Result<void> look();
    void settle(const OnItsWay& unit);
    template <class Done> Result<void> waitUntil(const Done& done);

    ServerLink& m_link;
    const std::vector<std::uint32_t> m_order;
    std::function<void(bool)> m_beforeEach;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job> m_waiting;
    std::vector<bool> m_done; ///< by unit
    std::size_t m_unfinished = 0;
    std::vector<BucketTiming> m_timings;
    std::optional<Error> m_error;

    std::deque<OnItsWay> m_onTheirWay; ///< of the thread only
    std::jthread m_thread;
};

} // namespace ringside
