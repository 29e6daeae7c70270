// SPDX-License-Identifier: MIT
#include "agent/worker/plans/communicationthread.h"

#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <pthread.h>

namespace ringside {

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
    while (const auto job = take(stop)) {
        const auto outcome = carryOut(*job);
        settle(outcome);
        if (!outcome)
            return; // what peers send now is not what is waited for here
    }
}

std::optional<CommunicationThread::Job> CommunicationThread::take(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait(lock, stop, [&] { return !m_waiting.empty(); }))
        return std::nullopt;
    const auto job = m_waiting.front();
    m_waiting.pop_front();
    return job;
}

Result<BucketTiming> CommunicationThread::carryOut(const Job& job)
{
    TRY(job.payload.await());
    const auto start = monotonicNs();
    if (m_beforeEach)
        m_beforeEach(job.bucket);
    TRY_ASSIGN(const auto bytes, m_exchange.sum(job.bucket, job.payload.numbers));
    return BucketTiming{job.bucket, start, monotonicNs() - start, bytes};
}

void CommunicationThread::settle(const Result<BucketTiming>& outcome)
{
    {
        const std::lock_guard lock(m_mutex);
        if (outcome)
            m_timings.push_back(*outcome);
        else
            m_error = outcome.error();
    }
    m_changed.notify_all();
}

} // namespace ringside
