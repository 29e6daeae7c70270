// SPDX-License-Identifier: MIT
// Connects a rank to every other: through the store and the secret of tcpstore.h.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/tcpstore.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside {

/// This process's place, as given by the launcher or `known`.
struct TcpPlace
{
    int rank = 0;
    int ranks = 1;
    fs::path meeting;           ///< the file by which rank 0 is found
    std::string interface = {}; ///< over which the others reach this rank; empty: any
    MeetingLimits limits = {};
    Communicator* known = nullptr; ///< in place of the file: the same ranks, over which rank 0 sends the invitation
};

/// By rank.
struct TcpPeers
{
    std::unique_ptr<TcpStore> store; ///< rank 0's; the others may ask it as long as they meet
    std::vector<TcpSocket> sockets;  ///< this rank has none
    std::vector<std::string> hosts;
};

/// Collective. Blocks until all are there, and no longer than the limits say: then the error says who is missing.
Result<TcpPeers> meet(const TcpPlace& place);

} // namespace ringside
