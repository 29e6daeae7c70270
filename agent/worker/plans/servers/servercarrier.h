// SPDX-License-Identifier: MIT
// Messages whose gradients are pushed to parameter servers, and whose weights come back.
#pragma once

#include "agent/worker/plans/carrier.h"
#include "agent/worker/plans/servers/serverlink.h"

namespace ringside {

/// Messages are of one unit each. A unit is pushed without waiting for the weights of the one before.
class ServerCarrier : public Carrier
{
public:
    explicit ServerCarrier(std::unique_ptr<ServerLink> link);

    void await(std::span<const Payload> payloads) override;
    Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) override;
    std::chrono::microseconds napAfter(std::chrono::nanoseconds sinceProgress) const override;
    bool endsInOrder() const override { return false; }
    bool isFinished() const override { return false; } // its servers may wait for ranks that are gone

private:
    std::unique_ptr<ServerLink> m_link;
};

} // namespace ringside
