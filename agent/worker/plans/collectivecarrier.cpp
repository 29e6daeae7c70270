// SPDX-License-Identifier: MIT
#include "agent/worker/plans/collectivecarrier.h"

namespace ringside {

namespace {

/// Who polls without a sleep for longer misses the core that the compute thread could have.
constexpr std::chrono::microseconds kAwake{100}, kNap{20};

class Carried : public Started
{
public:
    explicit Carried(std::uint64_t bytes)
        : m_bytes(bytes)
    {
    }
    Result<std::optional<Sent>> poll() override { return Sent{m_bytes, {}}; }

private:
    std::uint64_t m_bytes;
};

/// On the GPU, behind those that were started before it.
class Queued : public Started
{
public:
    Queued(QueuedSums& sums, std::uint64_t bytes)
        : m_sums(sums)
        , m_bytes(bytes)
    {
    }
    Result<std::optional<Sent>> poll() override
    {
        TRY_ASSIGN(const auto took, m_sums.settleOldest());
        return took ? std::optional(Sent{m_bytes, took}) : std::nullopt;
    }

private:
    QueuedSums& m_sums;
    std::uint64_t m_bytes;
};

} // namespace

CollectiveCarrier::CollectiveCarrier(std::unique_ptr<Exchange> exchange, std::optional<FusionBuffer> fused, bool queues)
    : m_exchange(std::move(exchange))
    , m_fused(std::move(fused))
    , m_queue(queues ? m_exchange->queuedSums() : nullptr)
{
}

void CollectiveCarrier::await(std::span<const Payload> payloads)
{
    if (!m_queue)
        for (const Payload& payload : payloads)
            payload.await();
}

Result<std::unique_ptr<Started>> CollectiveCarrier::start(const Units& units, std::span<const Payload> payloads)
{
    if (!m_queue) {
        TRY_ASSIGN(const std::uint64_t bytes, sum(units, payloads));
        return std::make_unique<Carried>(bytes);
    }
    const Payload& payload = payloads.front();
    TRY(m_queue->start(payload.numbers, payload.there ? payload.there->eventId() : nullptr));
    return std::make_unique<Queued>(*m_queue, payload.numbers.size_bytes());
}

/// Several units go through a buffer, as in Horovod; one by itself does not.
Result<std::uint64_t> CollectiveCarrier::sum(const Units& units, std::span<const Payload> payloads)
{
    FusionBuffer::Parts parts;
    for (const Payload& payload : payloads)
        parts.push_back(payload.numbers);
    if (parts.size() == 1)
        return m_exchange->sum(units.front(), parts.front());
    const auto fused = m_fused->gather(parts);
    TRY_ASSIGN(const std::uint64_t bytes, m_exchange->sum(units.front(), fused));
    m_fused->scatter(parts);
    return bytes;
}

std::chrono::microseconds CollectiveCarrier::napAfter(std::chrono::nanoseconds sinceProgress) const
{
    return sinceProgress < kAwake ? std::chrono::microseconds(0) : kNap;
}

} // namespace ringside
