// SPDX-License-Identifier: MIT
// A thread on which the ranks agree, again and again, which gradients all of them have ready, and exchange some of
// these: what travels together, and in which order, is decided while the backward pass goes on.
#pragma once

#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/fusionbuffer.h"
#include "agent/worker/plans/payload.h"
#include "core/protocol/sample.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace ringside {

/// The compute thread calls everything; from `begin` to the end of a successful `awaitAll` nobody else may use the
/// communicator, nor the payload of a unit until it was awaited. After a failure every wait returns the error.
class AgreeingThread
{
public:
    using Units = std::vector<std::uint32_t>;
    /// Of units that all ranks have ready and that were not exchanged yet, in the order of their numbers: those that go
    /// now, a message each. The same on all ranks; at least one message.
    using Choose = std::function<std::vector<Units>(const Units& ready)>;

    /// `cycle` is the least time between two agreements. `beforeEach`, if set, runs before each exchange on the thread
    /// and is told whether it is the iteration's last. `fused`: for messages of several units, if there are any.
    AgreeingThread(Communicator& communicator, Exchange& exchange, std::size_t units, std::chrono::microseconds cycle,
                   Choose choose, std::function<void(bool)> beforeEach, std::optional<FusionBuffer> fused = {});

    /// Timings then name the first unit of a message, else the place of the message in the iteration.
    void nameTimingsByUnit() { m_namesUnits = true; }

    /// A new iteration, of which nothing is ready.
    void begin();
    void offer(std::uint32_t unit, Payload payload);
    /// Blocks until the unit, or every unit, is exchanged.
    Result<void> awaitUnit(std::uint32_t unit);
    Result<void> awaitAll();
    /// Messages of the iteration in their order; startNs is CLOCK_MONOTONIC. After awaitAll.
    const std::vector<BucketTiming>& timings() const { return m_timings; }

private:
    void work(std::stop_token stop);
    bool waitForOffers(std::stop_token stop);
    Result<void> round();
    Result<Units> agree();
    Result<void> exchange(const Units& message);
    Result<std::uint64_t> sum(const Units& message);
    template <class Done> Result<void> waitUntil(const Done& done);

    Communicator& m_communicator;
    Exchange& m_exchange;
    const std::chrono::microseconds m_cycle;
    Choose m_choose;
    std::function<void(bool)> m_beforeEach;
    bool m_namesUnits = false;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<Payload> m_payloads; ///< by unit; offered ones have data
    std::vector<bool> m_offered, m_done;
    std::size_t m_waiting = 0; ///< offered and not done
    std::size_t m_unfinished = 0;
    std::vector<BucketTiming> m_timings;
    std::optional<Error> m_error;

    std::optional<FusionBuffer> m_fused; ///< of the thread only, as the next two
    std::vector<std::uint64_t> m_bits;
    std::chrono::steady_clock::time_point m_lastRound;
    std::jthread m_thread;
};

} // namespace ringside
