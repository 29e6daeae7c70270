// SPDX-License-Identifier: MIT
// One thread that carries out what an aggregator offers, in the order of a policy. Open MPI makes progress only inside
// its calls, so overlapping needs a thread that stays inside one (measured: a bare MPI_Iallreduce leaves 95 % exposed).
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/carrier.h"
#include "core/protocol/sample.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ringside {

/// The compute thread calls everything; from `begin` to the end of a successful `awaitAll` nobody else may use the
/// communicator, nor the payload of a unit until it was awaited. After a failure nothing is exchanged any more, and
/// every wait returns the error.
class ExchangeThread
{
public:
    ExchangeThread(std::unique_ptr<ExchangePolicy> policy, std::unique_ptr<Carrier> carrier, std::size_t units);
    /// By what votes are summed, on the thread; without it they are this rank's.
    using SumVotes = std::function<Result<void>(std::span<float> votes)>;
    void voteBy(SumVotes sum) { m_sumVotes = std::move(sum); }

    /// A new iteration, of which nothing is ready. All of the one before was awaited.
    void begin();
    void offer(std::uint32_t unit, Payload payload);
    /// Blocks until the unit, or every unit, was exchanged.
    Result<void> awaitUnit(std::uint32_t unit);
    Result<void> awaitAll();
    /// See Aggregator. After awaitAll; summed before whatever is offered later.
    void startVote(const Votes& mine);
    Result<Votes> awaitVote();
    /// Messages of the iteration, in the order of their starts; startNs is CLOCK_MONOTONIC. After awaitAll.
    const std::vector<BucketTiming>& timings() const { return m_timings; }

private:
    struct OnItsWay
    {
        std::size_t timing = 0; ///< index
        Units units;
        std::unique_ptr<Started> started;
    };

    void work(const std::stop_token& stop);
    bool waitForWork(const std::stop_token& stop);
    std::chrono::microseconds nap() const;
    Result<void> advance();
    Result<void> vote();
    bool takeOffers();
    Result<void> start(Message message);
    Result<void> poll();
    void end(OnItsWay& message, const Sent& sent);
    void fail(Error error);
    template <class Done> Result<void> waitUntil(const Done& done);

    std::unique_ptr<ExchangePolicy> m_policy;
    std::unique_ptr<Carrier> m_carrier;
    SumVotes m_sumVotes;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    Units m_offered;                 ///< not yet known to the policy
    std::vector<Payload> m_payloads; ///< by unit, as the next
    std::vector<bool> m_done;
    std::size_t m_unfinished = 0;
    Votes m_votes{};
    bool m_isVoting = false; ///< m_votes are this rank's
    std::vector<BucketTiming> m_timings;
    std::optional<Error> m_error;

    std::deque<OnItsWay> m_onTheirWay; ///< of the thread only, as all below
    std::int64_t m_lastProgressNs = 0; ///< when a message was last started or ended
    std::jthread m_thread;
};

} // namespace ringside
