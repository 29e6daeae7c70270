// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchangethread.h"

#include "agent/worker/device/streams.h"
#include "agent/worker/plans/caught.h"
#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <pthread.h>
#include <utility>

namespace ringside {

namespace {

/// For units that are chosen late: while one is on its way the next waits behind it.
constexpr std::size_t kMostAhead = 2;

} // namespace

ExchangeThread::ExchangeThread(std::unique_ptr<ExchangePolicy> policy, std::unique_ptr<Carrier> carrier,
                               std::size_t units)
    : m_policy(std::move(policy))
    , m_carrier(std::move(carrier))
    , m_payloads(units)
    , m_done(units)
    , m_there(units)
    , m_sent(std::make_shared<AllSent>(units))
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
    pthread_setname_np(m_thread.native_handle(), "communication");
}

/// Once, whether all have ended or no more will.
void ExchangeThread::AllSent::end()
{
    if (!std::exchange(hasEnded, true))
        ended.set_value(timings);
}

void ExchangeThread::begin()
{
    const std::lock_guard lock(m_mutex);
    m_policy->begin();
    m_done.assign(m_done.size(), false);
    m_sent = std::make_shared<AllSent>(m_done.size());
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

template <class Done> Result<void> ExchangeThread::waitUntil(std::unique_lock<std::mutex>& lock, const Done& done)
{
    m_changed.wait(lock, [&] { return m_error || done(); });
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

Result<void> ExchangeThread::awaitUnit(std::uint32_t unit)
{
    std::unique_lock lock(m_mutex);
    TRY(waitUntil(lock, [&] { return m_done[unit]; }));
    if (const c10::Event* there = m_there[unit])
        there->block(currentStream(there->device()));
    return {};
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
    std::unique_lock lock(m_mutex);
    TRY(waitUntil(lock, [&] { return !m_isVoting; }));
    return std::exchange(m_votes, {});
}

void ExchangeThread::work(const std::stop_token& stop)
{
    at::set_num_threads(1); // of this thread: rounding and adding must not use the compute thread's cores
    while (waitForWork(stop))
        if (auto outcome = caught([this] { return advance(); }); !outcome)
            return fail(std::move(outcome.error())); // what peers send now is not what is waited for here
}

/// False: it is over. A while in which something on its way may have ended is work, too.
bool ExchangeThread::waitForWork(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    const auto hasWork = [&] { return m_isVoting || !m_offered.empty() || hasMessages(); };
    if (m_onTheirWay.empty() && m_awaited.empty())
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

/// True if there is something to send. If not, the compute thread may begin another iteration, and so use the policy.
/// Units offered behind a vote have to wait for it: other ranks may have come to the vote first.
bool ExchangeThread::takeOffers()
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_isVoting)
            return false; // since vote() looked
        m_awaited.insert(m_awaited.end(), m_offered.begin(), m_offered.end());
        m_offered.clear();
    }
    const auto ready = std::ranges::stable_partition(
        m_awaited, [this](std::uint32_t unit) { return m_policy->choosesLate() && !m_payloads[unit].isThere(); });
    const std::lock_guard lock(m_mutex);
    for (const std::uint32_t unit : ready)
        m_policy->add(unit);
    m_awaited.erase(ready.begin(), ready.end());
    return hasMessages();
}

bool ExchangeThread::hasMessages() const
{
    return m_policy->hasWork() && !(m_policy->choosesLate() && m_onTheirWay.size() >= kMostAhead);
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
        sent.of = m_sent;
        sent.timing = m_sent->timings.size();
        m_sent->timings.push_back({message.name, m_lastProgressNs, 0, 0});
    }
    TRY_ASSIGN(sent.started, m_carrier->start(message.units, payloads));
    sent.units = std::move(message.units);
    hasStarted(std::move(sent));
    return poll();
}

/// The compute thread need not wait for the end of a GPU's work.
void ExchangeThread::hasStarted(OnItsWay message)
{
    if (const c10::Event* there = message.started->there()) {
        {
            const std::lock_guard lock(m_mutex);
            for (const std::uint32_t unit : message.units) {
                m_there[unit] = there;
                m_done[unit] = true;
            }
        }
        m_changed.notify_all();
    }
    m_onTheirWay.push_back(std::move(message));
}

Result<void> ExchangeThread::poll()
{
    for (auto message = m_onTheirWay.begin(); message != m_onTheirWay.end();) {
        TRY_ASSIGN(const auto sent, message->started->poll());
        if (!sent)
            m_inVainNs = monotonicNs();
        if (!sent && m_carrier->endsInOrder())
            return {};
        if (sent)
            end(*message, *sent);
        message = sent ? m_onTheirWay.erase(message) : message + 1;
    }
    return {};
}

/// A GPU reports how long it took, and how long after the one before it ended. Its end lies between the last poll in
/// vain and this one, which ties its clock to the host's.
void ExchangeThread::end(OnItsWay& message, const Sent& sent)
{
    m_lastProgressNs = monotonicNs();
    {
        const std::lock_guard lock(m_mutex);
        BucketTiming& timing = message.of->timings[message.timing];
        timing.lengthNs = m_lastProgressNs - timing.startNs;
        timing.bytes = sent.bytes;
        if (sent.onGpu) {
            m_lastEndNs = std::clamp(m_lastEndNs + sent.onGpu->sinceLast.count(), m_inVainNs, m_lastProgressNs);
            timing.lengthNs = sent.onGpu->took.count();
            timing.startNs = m_lastEndNs - timing.lengthNs;
        }
        const c10::Event* there = message.started->there();
        for (const std::uint32_t unit : message.units) {
            m_done[unit] = m_done[unit] || !there;
            if (m_there[unit] == there)
                m_there[unit] = nullptr;
        }
        message.of->missing -= message.units.size();
        if (message.of->missing == 0)
            message.of->end();
    }
    m_changed.notify_all();
}

void ExchangeThread::fail(Error error)
{
    {
        const std::lock_guard lock(m_mutex);
        m_error = std::move(error);
        for (const OnItsWay& message : m_onTheirWay)
            message.of->end();
        m_sent->end();
    }
    m_changed.notify_all();
}

} // namespace ringside
