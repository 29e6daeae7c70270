// SPDX-License-Identifier: MIT
// Messages that a collective of the plan, with its compression, sums over the ranks.
#pragma once

#include "agent/worker/plans/carrier.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/exchangestream.h"
#include "agent/worker/plans/fusionbuffer.h"

namespace ringside {

class CollectiveCarrier : public Carrier
{
public:
    /// `fused`: for messages of several units, if there are any. On a stream of a GPU messages are started before those
    /// before them have ended, and cannot be overtaken any more.
    explicit CollectiveCarrier(std::unique_ptr<Exchange> exchange, ExchangeStream stream = {},
                               std::optional<FusionBuffer> fused = {});

    void await(std::span<const Payload> payloads) override;
    Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) override;
    std::chrono::microseconds napAfter(std::chrono::nanoseconds sinceProgress) const override;

private:
    Result<std::uint64_t> sum(const Units& units, std::span<const Payload> payloads);

    std::unique_ptr<Exchange> m_exchange;
    ExchangeStream m_stream;
    std::optional<FusionBuffer> m_fused;
    std::shared_ptr<c10::Event> m_last; ///< when the last message enqueued on a GPU ends
};

} // namespace ringside
