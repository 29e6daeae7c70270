// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/servercarrier.h"

namespace ringside {

namespace {

/// Between two looks for weights: long beside a look, short beside the duration of a message of some size.
constexpr std::chrono::microseconds kSleepBetweenLooks{50};

class Pushed : public Started
{
public:
    explicit Pushed(ServerLink::Pushed pushed)
        : m_pushed(std::move(pushed))
    {
    }
    Result<std::optional<Sent>> poll() override
    {
        TRY_ASSIGN(const bool isDone, m_pushed.isDone());
        return isDone ? std::optional(Sent{m_pushed.bytes, {}}) : std::nullopt;
    }

private:
    ServerLink::Pushed m_pushed;
};

} // namespace

ServerCarrier::ServerCarrier(std::unique_ptr<ServerLink> link)
    : m_link(std::move(link))
{
}

void ServerCarrier::await(std::span<const Payload> payloads)
{
    for (const Payload& payload : payloads)
        payload.await();
}

Result<std::unique_ptr<Started>> ServerCarrier::start(const Units& units, std::span<const Payload> payloads)
{
    TRY_ASSIGN(auto pushed, m_link->push(units.front(), payloads.front().numbers));
    return std::make_unique<Pushed>(std::move(pushed));
}

std::chrono::microseconds ServerCarrier::napAfter(std::chrono::nanoseconds) const
{
    return kSleepBetweenLooks;
}

} // namespace ringside
