// SPDX-License-Identifier: MIT
// Times of messages between ranks, over their sizes.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/calibration.h"

#include <c10/core/Device.h>
#include <chrono>

namespace ringside {

/// The groups of ranks whose links differ. Made and destroyed collectively; must go before the communicator.
struct LinkGroups
{
    std::unique_ptr<Communicator> node;  ///< of this rank's node
    std::unique_ptr<Communicator> nodes; ///< the ranks with this one's place on their nodes
    bool leads = false;                  ///< first of its node
    int nodeCount = 1;
    int mostOnNode = 1;
};

/// `hosts`: by rank. Collective.
Result<LinkGroups> makeLinkGroups(Communicator& communicator, const std::vector<std::string>& hosts);

/// 4 KiB, doubled up to 64 MiB, and 100 MB, each for 300 ms or `budget`, if that is less. A size whose message takes
/// more than two seconds is the last one. The cost is fitted to them. All-reduces are of `device`'s memory, where the
/// group works on it; everything else is of the host's. Collective over `group`, of two ranks or more.
Result<LinkCost> measureLink(Communicator& group, LinkLevel level, LinkOperation operation, c10::Device device,
                             std::chrono::milliseconds budget);

/// A message there and back between the first two ranks. Collective.
Result<void> pingPong(Communicator& group, std::span<std::byte> message);

} // namespace ringside
