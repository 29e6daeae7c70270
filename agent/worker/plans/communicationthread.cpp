// SPDX-License-Identifier: MIT
#include "agent/worker/plans/communicationthread.h"

#include "agent/worker/plans/caught.h"
#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <chrono>
#include <pthread.h>

namespace ringside {

namespace {

/// What was queued or settled so lately may be followed at once; later, a core that looks is missed by the compute
/// thread.
constexpr std::int64_t kAwakeNs = 100'000;
constexpr std::chrono::microseconds kNap{20};

} // namespace

CommunicationThread::CommunicationThread(Exchange& exchange, std::function<void(std::uint32_t)> beforeEach)
    : m_exchange(exchange)
    , m_beforeEach(std::move(beforeEach))
    , m_thread([this](std::stop_token stop) { work(std::move(stop)); })
{
    pthread_setname_np(m_thread.native_handle(), "communication");
}

CommunicationThread::~CommunicationThread() = default;

void CommunicationThread::clear()
{
    const std::lock_guard lock(m_mutex);
    m_timings.clear();
}

void CommunicationThread::push(std::uint32_t bucket, Payload payload)
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({bucket, payload});
    }
    m_changed.notify_all();
}

Result<void> CommunicationThread::awaitCount(std::size_t count)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_error || m_timings.size() >= count; });
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

void CommunicationThread::work(std::stop_token stop)
{
    at::set_num_threads(1); // of this thread: rounding and adding are not to take the compute thread's cores
    for (;;) {
        const auto job = take(stop);
        if (!job && m_queued.empty())
            return;
        if (const auto outcome = caught([&] { return doNext(job); }); !outcome)
            return tellOf(outcome.error()); // what peers send now is not what is waited for here
    }
}

/// Nothing: it is over, or something is queued that may be done. Looks for that eagerly at first, then now and then.
std::optional<CommunicationThread::Job> CommunicationThread::take(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    const auto isThere = [&] { return !m_waiting.empty(); };
    if (m_queued.empty())
        m_changed.wait(lock, stop, isThere);
    else if (monotonicNs() - m_lastProgressNs > kAwakeNs)
        m_changed.wait_for(lock, stop, kNap, isThere);
    if (!isThere())
        return std::nullopt;
    const auto job = m_waiting.front();
    m_waiting.pop_front();
    return job;
}

Result<void> CommunicationThread::doNext(const std::optional<Job>& job)
{
    if (!job)
        return settleOldest();
    return m_exchange.queuedSums() ? enqueue(*job) : carryOut(*job);
}

Result<void> CommunicationThread::carryOut(const Job& job)
{
    job.payload.await();
    const auto start = monotonicNs();
    if (m_beforeEach)
        m_beforeEach(job.bucket);
    TRY_ASSIGN(const auto bytes, m_exchange.sum(job.bucket, job.payload.numbers));
    tellOf(BucketTiming{job.bucket, start, monotonicNs() - start, bytes});
    return {};
}

/// It is the GPU that waits, for the gradients and for the sum before this one.
Result<void> CommunicationThread::enqueue(const Job& job)
{
    if (m_beforeEach)
        m_beforeEach(job.bucket);
    m_lastProgressNs = monotonicNs();
    m_queued.push_back({job, m_lastProgressNs});
    return m_exchange.queuedSums()->start(job.payload.numbers,
                                          job.payload.there ? job.payload.there->eventId() : nullptr);
}

/// How long it took is known by the GPU's time, and when it was over by when that is seen here; so it began about then,
/// and not before it was queued.
Result<void> CommunicationThread::settleOldest()
{
    TRY_ASSIGN(const auto took, m_exchange.queuedSums()->settleOldest());
    if (!took) {
        std::this_thread::yield();
        return {};
    }
    const Queued sum = m_queued.front();
    m_queued.pop_front();
    m_lastProgressNs = monotonicNs();
    const auto ns = std::min<std::int64_t>(took->count(), m_lastProgressNs - sum.ns);
    tellOf(BucketTiming{sum.job.bucket, m_lastProgressNs - ns, ns, sum.job.payload.numbers.size_bytes()});
    return {};
}

void CommunicationThread::tellOf(const BucketTiming& timing)
{
    {
        const std::lock_guard lock(m_mutex);
        m_timings.push_back(timing);
    }
    m_changed.notify_all();
}

void CommunicationThread::tellOf(const Error& error)
{
    {
        const std::lock_guard lock(m_mutex);
        m_error = error;
    }
    m_changed.notify_all();
}

} // namespace ringside
