// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchangethread.h"

#include "agent/worker/plans/caught.h"
#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <pthread.h>
#include <utility>

namespace ringside {

ExchangeThread::ExchangeThread(std::unique_ptr<ExchangePolicy> policy, std::unique_ptr<Carrier> carrier,
                               std::size_t units)
    : m_policy(std::move(policy))
    , m_carrier(std::move(carrier))
    , m_payloads(units)
    , m_done(units)
    , m_unfinished(units)
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
    pthread_setname_np(m_thread.native_handle(), "communication");
}

void ExchangeThread::begin()
{
    const std::lock_guard lock(m_mutex);
    m_policy->begin();
    m_done.assign(m_done.size(), false);
    m_unfinished = m_done.size();
    m_timings.clear();
}

void ExchangeThread::offer(std::uint32_t unit, Payload payload)
{
    {
        const std::lock_guard lock(m_mutex);
        m_payloads[unit] = payload;
        m_offered.push_back(unit);
    }
    m_changed.notify_all();
}

template <class Done> Result<void> ExchangeThread::waitUntil(const Done& done)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_error || done(); });
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

Result<void> ExchangeThread::awaitUnit(std::uint32_t unit)
{
    return waitUntil([&] { return m_done[unit]; });
}

Result<void> ExchangeThread::awaitAll()
{
    return waitUntil([&] { return m_unfinished == 0; });
}

void ExchangeThread::startVote(const Votes& mine)
{
    {
        const std::lock_guard lock(m_mutex);
        m_votes = mine;
        m_isVoting = true;
    }
    m_changed.notify_all();
}

Result<Votes> ExchangeThread::awaitVote()
{
    TRY(waitUntil([&] { return !m_isVoting; }));
    return std::exchange(m_votes, {});
}

void ExchangeThread::work(const std::stop_token& stop)
{
    at::set_num_threads(1); // of this thread: rounding and adding are not to take the compute thread's cores
    while (waitForWork(stop))
        if (auto outcome = caught([this] { return advance(); }); !outcome)
            return fail(std::move(outcome.error())); // what peers send now is not what is waited for here
}

/// False: it is over. A while in which something on its way may have ended is work, too.
bool ExchangeThread::waitForWork(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    const auto hasWork = [&] { return m_isVoting || !m_offered.empty() || m_policy->hasWork(); };
    if (m_onTheirWay.empty())
        return m_changed.wait(lock, stop, hasWork);
    if (const auto sleep = nap(); sleep.count() > 0)
        m_changed.wait_for(lock, stop, sleep, hasWork);
    else {
        lock.unlock();
        std::this_thread::yield();
    }
    return !stop.stop_requested() || m_carrier->isFinished();
}

std::chrono::microseconds ExchangeThread::nap() const
{
    return m_carrier->napAfter(std::chrono::nanoseconds(monotonicNs() - m_lastProgressNs));
}

Result<void> ExchangeThread::advance()
{
    TRY(vote());
    if (takeOffers()) {
        TRY_ASSIGN(std::vector<Message> messages, m_policy->next());
        for (Message& message : messages)
            TRY(start(std::move(message)));
    }
    return poll();
}

Result<void> ExchangeThread::vote()
{
    Votes votes{};
    {
        const std::lock_guard lock(m_mutex);
        if (!m_isVoting)
            return {};
        votes = m_votes;
    }
    if (m_sumVotes)
        TRY(m_sumVotes(votes));
    {
        const std::lock_guard lock(m_mutex);
        m_votes = votes;
        m_isVoting = false;
    }
    m_changed.notify_all();
    return {};
}

/// Whether there is something to send. If not, the compute thread may begin another iteration, and so use the policy.
bool ExchangeThread::takeOffers()
{
    const std::lock_guard lock(m_mutex);
    for (const std::uint32_t unit : m_offered)
        m_policy->add(unit);
    m_offered.clear();
    return m_policy->hasWork();
}

Result<void> ExchangeThread::start(Message message)
{
    std::vector<Payload> payloads;
    for (const std::uint32_t unit : message.units)
        payloads.push_back(m_payloads[unit]);
    m_carrier->await(payloads);
    m_lastProgressNs = monotonicNs();
    OnItsWay sent;
    {
        const std::lock_guard lock(m_mutex);
        sent.timing = m_timings.size();
        m_timings.push_back({message.name, m_lastProgressNs, 0, 0});
    }
    TRY_ASSIGN(sent.started, m_carrier->start(message.units, payloads));
    sent.units = std::move(message.units);
    m_onTheirWay.push_back(std::move(sent));
    return poll();
}

Result<void> ExchangeThread::poll()
{
    for (auto message = m_onTheirWay.begin(); message != m_onTheirWay.end();) {
        TRY_ASSIGN(const auto sent, message->started->poll());
        if (!sent && m_carrier->endsInOrder())
            return {};
        if (sent)
            end(*message, *sent);
        message = sent ? m_onTheirWay.erase(message) : message + 1;
    }
    return {};
}

/// A GPU tells how long it took, and when it was over is about when that is seen here; so it began about then, and not
/// before it was started.
void ExchangeThread::end(OnItsWay& message, const Sent& sent)
{
    m_lastProgressNs = monotonicNs();
    {
        const std::lock_guard lock(m_mutex);
        BucketTiming& timing = m_timings[message.timing];
        timing.lengthNs = m_lastProgressNs - timing.startNs;
        timing.bytes = sent.bytes;
        if (sent.took) {
            timing.lengthNs = std::min<std::int64_t>(sent.took->count(), timing.lengthNs);
            timing.startNs = m_lastProgressNs - timing.lengthNs;
        }
        for (const std::uint32_t unit : message.units)
            m_done[unit] = true;
        m_unfinished -= message.units.size();
    }
    m_changed.notify_all();
}

void ExchangeThread::fail(Error error)
{
    {
        const std::lock_guard lock(m_mutex);
        m_error = std::move(error);
    }
    m_changed.notify_all();
}

} // namespace ringside
