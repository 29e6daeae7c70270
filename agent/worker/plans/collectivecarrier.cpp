// SPDX-License-Identifier: MIT
#include "agent/worker/plans/collectivecarrier.h"

namespace ringside {

namespace {

/// Polling without a sleep for longer would cost the compute thread a core.
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
    /// Begins; `before` is when the message before it ends.
    Queued(const c10::Stream& stream, std::shared_ptr<c10::Event> before)
        : m_before(std::move(before))
        , m_began(timedEvent(stream.device()))
        , m_done(std::make_shared<c10::Event>(timedEvent(stream.device())))
    {
        m_began.record(stream);
    }
    Result<std::shared_ptr<c10::Event>> end(const ExchangeStream& stream, std::uint64_t bytes)
    {
        m_bytes = bytes;
        m_done->record(*stream.stream());
        TRY_ASSIGN(m_enqueued, stream.enqueued());
        return m_done;
    }
    const c10::Event* there() const override { return m_done.get(); }
    Result<std::optional<Sent>> poll() override
    {
        TRY_ASSIGN(const bool isDone, m_enqueued->isDone());
        return isDone ? std::optional(Sent{m_bytes, onGpu()}) : std::nullopt;
    }

private:
    Sent::OnGpu onGpu() const
    {
        return {std::chrono::nanoseconds(nsBetween(m_began, *m_done)),
                m_before ? std::chrono::nanoseconds(nsBetween(*m_before, *m_done)) : std::chrono::nanoseconds::max()};
    }

    std::shared_ptr<c10::Event> m_before;
    c10::Event m_began;
    std::shared_ptr<c10::Event> m_done;
    std::unique_ptr<Transfer> m_enqueued;
    std::uint64_t m_bytes = 0;
};

} // namespace

CollectiveCarrier::CollectiveCarrier(std::unique_ptr<Exchange> exchange, ExchangeStream stream,
                                     std::optional<FusionBuffer> fused)
    : m_exchange(std::move(exchange))
    , m_stream(stream)
    , m_fused(std::move(fused))
{
}

void CollectiveCarrier::await(std::span<const Payload> payloads)
{
    if (!m_stream.stream())
        for (const Payload& payload : payloads)
            payload.await();
}

Result<std::unique_ptr<Started>> CollectiveCarrier::start(const Units& units, std::span<const Payload> payloads)
{
    if (!m_stream.stream()) {
        TRY_ASSIGN(const std::uint64_t bytes, sum(units, payloads));
        return std::make_unique<Carried>(bytes);
    }
    const auto here = m_stream.use();
    for (const Payload& payload : payloads)
        payload.there->block(*m_stream.stream());
    auto queued = std::make_unique<Queued>(*m_stream.stream(), m_last);
    TRY_ASSIGN(const std::uint64_t bytes, sum(units, payloads));
    TRY_ASSIGN(m_last, queued->end(m_stream, bytes));
    return queued;
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
