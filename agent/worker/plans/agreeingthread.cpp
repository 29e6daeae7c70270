// SPDX-License-Identifier: MIT
#include "agent/worker/plans/agreeingthread.h"

#include "agent/worker/plans/caught.h"
#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <pthread.h>

namespace ringside {

namespace {

constexpr std::size_t kBitsPerWord = 64;

} // namespace

AgreeingThread::AgreeingThread(Communicator& communicator, Exchange& exchange, std::size_t units,
                               std::chrono::microseconds cycle, Choose choose, std::function<void(bool)> beforeEach,
                               std::optional<FusionBuffer> fused)
    : m_communicator(communicator)
    , m_exchange(exchange)
    , m_cycle(cycle)
    , m_choose(std::move(choose))
    , m_beforeEach(std::move(beforeEach))
    , m_payloads(units)
    , m_offered(units)
    , m_done(units)
    , m_fused(std::move(fused))
    , m_bits((units + kBitsPerWord - 1) / kBitsPerWord)
    , m_thread([this](std::stop_token stop) { work(std::move(stop)); })
{
    pthread_setname_np(m_thread.native_handle(), "communication");
}

void AgreeingThread::begin()
{
    const std::lock_guard lock(m_mutex);
    m_offered.assign(m_offered.size(), false);
    m_done.assign(m_done.size(), false);
    m_waiting = 0;
    m_unfinished = m_done.size();
    m_timings.clear();
}

void AgreeingThread::offer(std::uint32_t unit, Payload payload)
{
    {
        const std::lock_guard lock(m_mutex);
        m_payloads[unit] = payload;
        m_offered[unit] = true;
        ++m_waiting;
    }
    m_changed.notify_all();
}

template <class Done> Result<void> AgreeingThread::waitUntil(const Done& done)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_error || done(); });
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

Result<void> AgreeingThread::awaitUnit(std::uint32_t unit)
{
    return waitUntil([&] { return m_done[unit]; });
}

Result<void> AgreeingThread::awaitAll()
{
    return waitUntil([&] { return m_unfinished == 0; });
}

void AgreeingThread::work(std::stop_token stop)
{
    at::set_num_threads(1); // of this thread: rounding and adding are not to take the compute thread's cores
    while (waitForOffers(stop)) {
        std::this_thread::sleep_until(m_lastRound + m_cycle);
        m_lastRound = std::chrono::steady_clock::now();
        const auto outcome = caught([this] { return round(); });
        if (!outcome) {
            {
                const std::lock_guard lock(m_mutex);
                m_error = outcome.error();
            }
            m_changed.notify_all();
            return;
        }
    }
}

/// What this rank has nothing ready of, nobody can agree on.
bool AgreeingThread::waitForOffers(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait(lock, stop, [&] { return m_waiting > 0; });
}

Result<void> AgreeingThread::round()
{
    TRY_ASSIGN(const Units ready, agree());
    if (ready.empty())
        return {};
    for (const Units& message : m_choose(ready))
        TRY(exchange(message));
    return {};
}

Result<AgreeingThread::Units> AgreeingThread::agree()
{
    std::ranges::fill(m_bits, 0);
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t unit = 0; unit < m_offered.size(); ++unit)
            if (m_offered[unit] && !m_done[unit])
                m_bits[unit / kBitsPerWord] |= std::uint64_t{1} << (unit % kBitsPerWord);
    }
    TRY(m_communicator.allReduceAnd(m_bits));
    Units ready;
    for (std::uint32_t unit = 0; unit < m_offered.size(); ++unit)
        if ((m_bits[unit / kBitsPerWord] >> (unit % kBitsPerWord) & 1) != 0)
            ready.push_back(unit);
    return ready;
}

Result<void> AgreeingThread::exchange(const Units& message)
{
    for (const auto unit : message)
        m_payloads[unit].await();
    const auto startNs = monotonicNs();
    if (m_beforeEach)
        m_beforeEach(m_unfinished == message.size());
    TRY_ASSIGN(const std::uint64_t bytes, sum(message));
    {
        const std::lock_guard lock(m_mutex);
        for (const auto unit : message)
            m_done[unit] = true;
        m_waiting -= message.size();
        m_unfinished -= message.size();
        const auto name = m_namesUnits ? message.front() : static_cast<std::uint32_t>(m_timings.size());
        m_timings.push_back({name, startNs, monotonicNs() - startNs, bytes});
    }
    m_changed.notify_all();
    return {};
}

/// Several units go through a buffer, as in Horovod; one by itself does not.
Result<std::uint64_t> AgreeingThread::sum(const Units& message)
{
    FusionBuffer::Parts parts;
    for (const auto unit : message)
        parts.push_back(m_payloads[unit].numbers);
    if (parts.size() == 1)
        return m_exchange.sum(message.front(), parts.front());
    const auto fused = m_fused->gather(parts);
    TRY_ASSIGN(const std::uint64_t bytes, m_exchange.sum(message.front(), fused));
    m_fused->scatter(parts);
    return bytes;
}

} // namespace ringside
