// SPDX-License-Identifier: MIT
// Messages that a collective of the plan, with its compression, sums over the ranks.
#pragma once

#include "agent/worker/plans/carrier.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/fusionbuffer.h"

namespace ringside {

class CollectiveCarrier : public Carrier
{
public:
    /// `fused`: for messages of several units, if there are any. `queues`: sums that a GPU can queue are started before
    /// those before them have ended; what is queued cannot be overtaken any more.
    explicit CollectiveCarrier(std::unique_ptr<Exchange> exchange, std::optional<FusionBuffer> fused = {},
                               bool queues = true);

    void await(std::span<const Payload> payloads) override;
    Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) override;
    std::chrono::microseconds napAfter(std::chrono::nanoseconds sinceProgress) const override;

private:
    Result<std::uint64_t> sum(const Units& units, std::span<const Payload> payloads);

    std::unique_ptr<Exchange> m_exchange;
    std::optional<FusionBuffer> m_fused;
    QueuedSums* m_queue; ///< null: messages are waited for
};

} // namespace ringside
