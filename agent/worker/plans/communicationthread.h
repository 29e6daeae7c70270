// SPDX-License-Identifier: MIT
// One thread that carries out exchanges in the order in which they were handed in. Open MPI makes progress only
// inside its calls, so overlapping needs a thread that stays inside one (measured: a bare MPI_Iallreduce leaves 95 %
// exposed). What NCCL sums in a GPU's memory is queued there instead, and the thread only looks when it is done.
#pragma once

#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/payload.h"
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

/// The compute thread calls everything; between `push` and the end of `awaitCount` nobody else may use the communicator
/// or the payloads. After a failure nothing is exchanged any more and every later wait returns the error.
class CommunicationThread
{
public:
    /// `beforeEach`, if set, runs on the thread before the exchange of the bucket it is given.
    explicit CommunicationThread(Exchange& exchange, std::function<void(std::uint32_t)> beforeEach = {});
    ~CommunicationThread();

    /// Forgets the timings of the last iteration. Nothing may be waiting.
    void clear();
    void push(std::uint32_t bucket, Payload payload);
    /// Blocks until `count` of the exchanges since `clear` are complete.
    Result<void> awaitCount(std::size_t count);
    /// Of the completed ones, in their order; startNs is CLOCK_MONOTONIC. Nothing may be waiting.
    const std::vector<BucketTiming>& timings() const { return m_timings; }

private:
    struct Job
    {
        std::uint32_t bucket;
        Payload payload;
    };
    /// A sum on its way, and since when.
    struct Queued
    {
        Job job;
        std::int64_t ns;
    };

    void work(std::stop_token stop);
    std::optional<Job> take(std::stop_token stop);
    Result<void> doNext(const std::optional<Job>& job);
    Result<void> carryOut(const Job& job);
    Result<void> enqueue(const Job& job);
    Result<void> settleOldest();
    void tellOf(const BucketTiming& timing);
    void tellOf(const Error& error);

    Exchange& m_exchange;
    std::function<void(std::uint32_t)> m_beforeEach;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job> m_waiting;
    std::vector<BucketTiming> m_timings;
    std::optional<Error> m_error;
    std::deque<Queued> m_queued;       ///< of the thread only, as the next
    std::int64_t m_lastProgressNs = 0; ///< when a sum was last queued or settled
    std::jthread m_thread;
};

} // namespace ringside
