// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/pushpullthread.h"

#include "agent/worker/plans/caught.h"
#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <chrono>
#include <pthread.h>

namespace ringside {

namespace {

/// Between two looks for weights: long beside a look, short beside the time that a message of some size takes.
constexpr std::chrono::microseconds kSleepBetweenLooks{50};

} // namespace

PushPullThread::PushPullThread(ServerLink& link, std::vector<std::uint32_t> order, std::function<void(bool)> beforeEach)
    : m_link(link)
    , m_order(std::move(order))
    , m_beforeEach(std::move(beforeEach))
    , m_done(m_order.size())
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
    pthread_setname_np(m_thread.native_handle(), "communication");
}

void PushPullThread::begin()
{
    const std::lock_guard lock(m_mutex);
    m_done.assign(m_done.size(), false);
    m_unfinished = m_done.size();
    m_timings.clear();
}

void PushPullThread::push(std::uint32_t unit, Payload payload)
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({unit, payload});
    }
    m_changed.notify_all();
}

template <class Done> Result<void> PushPullThread::waitUntil(const Done& done)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_error || done(); });
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

Result<void> PushPullThread::awaitUnit(std::uint32_t unit)
{
    return waitUntil([&] { return m_done[unit]; });
}

Result<void> PushPullThread::awaitAll()
{
    return waitUntil([&] { return m_unfinished == 0; });
}

void PushPullThread::work(const std::stop_token& stop)
{
    at::set_num_threads(1); // of this thread: rounding is not to take the compute thread's cores
    while (waitForWork(stop)) {
        const auto outcome = caught([this] { return turn(); });
        if (outcome)
            continue;
        {
            const std::lock_guard lock(m_mutex);
            m_error = outcome.error();
        }
        m_changed.notify_all();
        return;
    }
}

/// A job, or a while in which something on its way may have come.
bool PushPullThread::waitForWork(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    const auto hasJob = [&] { return !m_waiting.empty(); };
    if (m_onTheirWay.empty())
        return m_changed.wait(lock, stop, hasJob);
    m_changed.wait_for(lock, stop, kSleepBetweenLooks, hasJob);
    return !stop.stop_requested();
}

Result<void> PushPullThread::turn()
{
    if (const auto job = take())
        TRY(push(*job));
    return look();
}

std::optional<PushPullThread::Job> PushPullThread::take()
{
    const std::lock_guard lock(m_mutex);
    if (m_waiting.empty())
        return std::nullopt;
    const auto next = std::ranges::max_element(m_waiting, {}, [&](const Job& job) { return m_order[job.unit]; });
    const Job job = *next;
    m_waiting.erase(next);
    return job;
}

Result<void> PushPullThread::push(const Job& job)
{
    job.payload.await();
    const std::int64_t startNs = monotonicNs();
    if (m_beforeEach)
        m_beforeEach(m_timings.size() + 1 == m_order.size());
    TRY_ASSIGN(auto pushed, m_link.push(job.unit, job.payload.numbers));
    const std::lock_guard lock(m_mutex);
    m_timings.push_back({job.unit, startNs, 0, pushed.bytes});
    m_onTheirWay.push_back({m_timings.size() - 1, std::move(pushed)});
    return {};
}

Result<void> PushPullThread::look()
{
    for (auto unit = m_onTheirWay.begin(); unit != m_onTheirWay.end();) {
        TRY_ASSIGN(const bool isDone, unit->pushed.isDone());
        if (isDone)
            settle(*unit);
        unit = isDone ? m_onTheirWay.erase(unit) : unit + 1;
    }
    return {};
}

void PushPullThread::settle(const OnItsWay& unit)
{
    {
        const std::lock_guard lock(m_mutex);
        BucketTiming& timing = m_timings[unit.timing];
        timing.lengthNs = monotonicNs() - timing.startNs;
        m_done[timing.bucket] = true;
        --m_unfinished;
    }
    m_changed.notify_all();
}

} // namespace ringside
