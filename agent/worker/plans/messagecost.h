// SPDX-License-Identifier: MIT
// Measures the cost of a plan's messages between these ranks, and fits it.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/aggregationplan.h"
#include "core/protocol/plan.h"

#include <c10/core/Device.h>
#include <string>
#include <vector>

namespace ringside {

/// Seconds over the bytes of the gradients in a message, by the plan's collective and compression and by the slowest
/// rank: 4 KiB, four times as many, and so on up to `largest`, each for a tenth of a second or three times. After one
/// of half a second none longer is tried. Fitted by core/model/costfit.h; the same on all ranks but for the last bits.
/// Gradients are on `device`; so are the messages, where the exchange works there. Collective.
Result<std::vector<CostSegment>> measureMessageCost(const AggregationPlan& plan, Communicator& communicator,
                                                    std::uint64_t largest, c10::Device device);

struct MessageCost
{
    std::vector<CostSegment> segments;
    std::string source; ///< for facts.json: "calibration of 2026-11-21T09:14:00Z (run 12)"
};

/// The cost that came with the run, if rank 0 uses the transport that was calibrated; else it is measured. The
/// same source on all ranks. Collective.
Result<MessageCost> findMessageCost(const RunSpec& run, Communicator& communicator, std::uint64_t largest,
                                    c10::Device device);

} // namespace ringside
