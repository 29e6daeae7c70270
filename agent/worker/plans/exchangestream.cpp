// SPDX-License-Identifier: MIT
#include "agent/worker/plans/exchangestream.h"

namespace ringside {

namespace {

/// Work on a stream where there is no peer to lose.
class Passed : public Transfer
{
public:
    explicit Passed(const c10::Stream& stream)
        : m_event(stream.device_type())
    {
        m_event.record(stream);
    }
    Result<bool> isDone() override { return m_event.query(); }
    Result<void> await() override
    {
        awaitEvent(m_event);
        return {};
    }

private:
    c10::Event m_event;
};

} // namespace

/// A stream that libtorch has not made is known to it by its address (c10/cuda/CUDAStream.cpp, getStreamFromExternal).
ExchangeStream::ExchangeStream(Communicator& ranks, c10::Device device)
    : m_ranks(&ranks)
{
    if (void* stream = ranks.stream(); stream && !device.is_cpu())
        m_stream.emplace(c10::Stream::UNSAFE, device, reinterpret_cast<c10::StreamId>(stream));
}

ExchangeStream::ExchangeStream(c10::Stream stream)
    : m_stream(stream)
{
}

/// A thread without a device of its own computes on GPU 0, and opens it when it returns to it.
c10::OptionalStreamGuard ExchangeStream::use() const
{
    if (m_stream)
        c10::impl::getDeviceGuardImpl(m_stream->device_type())->setDevice(m_stream->device());
    return c10::OptionalStreamGuard(m_stream);
}

Result<std::unique_ptr<Transfer>> ExchangeStream::enqueued() const
{
    if (m_ranks)
        return m_ranks->enqueued();
    return std::make_unique<Passed>(*m_stream);
}

Result<void> ExchangeStream::await() const
{
    if (!m_stream)
        return {};
    TRY_ASSIGN(const auto all, enqueued());
    return all->await();
}

} // namespace ringside
