// SPDX-License-Identifier: MIT
// One thread that carries out what an aggregator offers, in the order of a policy, or enqueues it on a GPU. Open MPI
// makes progress only inside its calls, so overlapping needs a thread that stays inside one (measured: a bare
// MPI_Iallreduce leaves 95 % exposed).
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/carrier.h"
#include "core/protocol/sample.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ringside {

/// The compute thread calls everything; from the first `begin` on no other code may use the communicator, nor the
/// payload of a unit until it was awaited. After a failure nothing is exchanged any more, and every wait returns the
/// error.
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
    /// Blocks until the unit was exchanged; where a GPU does that, until it is enqueued, and what the calling thread
    /// enqueues behind this waits for it there.
    Result<void> awaitUnit(std::uint32_t unit);
    /// See Aggregator. After every unit was awaited; summed before whatever is offered later.
    void startVote(const Votes& mine);
    Result<Votes> awaitVote();
    Timings timings() const { return m_sent->known; }

private:
    /// All that one iteration sends.
    struct AllSent
    {
        explicit AllSent(std::size_t units)
            : missing(units)
        {
        }
        void end();

        std::vector<BucketTiming> timings;
        std::size_t missing = 0; ///< units that have not ended
        bool hasEnded = false;
        std::promise<std::vector<BucketTiming>> ended;
        Timings known = ended.get_future();
    };
    struct OnItsWay
    {
        std::shared_ptr<AllSent> of;
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
    bool hasMessages() const;
    Result<void> start(Message message);
    Result<void> poll();
    void hasStarted(OnItsWay message);
    void end(OnItsWay& message, const Sent& sent);
    void fail(Error error);
    template <class Done> Result<void> waitUntil(std::unique_lock<std::mutex>& lock, const Done& done);

    std::unique_ptr<ExchangePolicy> m_policy;
    std::unique_ptr<Carrier> m_carrier;
    SumVotes m_sumVotes;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    Units m_offered;                 ///< not yet known to the policy
    std::vector<Payload> m_payloads; ///< by unit, as the next
    std::vector<bool> m_done;
    std::vector<const c10::Event*> m_there; ///< by unit: when it is, if a GPU has yet to do what is done
    Votes m_votes{};
    bool m_isVoting = false;         ///< m_votes are this rank's
    std::shared_ptr<AllSent> m_sent; ///< of the iteration that has begun last
    std::optional<Error> m_error;

    std::deque<OnItsWay> m_onTheirWay; ///< of the thread only, as all below
    Units m_awaited;                   ///< offered, but a GPU has not computed them, and the policy wants to know
    std::int64_t m_lastProgressNs = 0; ///< when a message was last started or seen to have ended
    std::int64_t m_lastEndNs = 0;      ///< of a message, on a GPU
    std::int64_t m_inVainNs = 0;       ///< when one was last asked that had not ended
    std::jthread m_thread;
};

} // namespace ringside
