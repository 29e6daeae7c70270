// SPDX-License-Identifier: MIT
// The protocol between ranks that train and server ranks, on the communicator of all of them. Ranks that train come
// first in it. A message is bare numbers; its tag says what they are.
//
//   rank 0 -> server   kStart    how many shards the server holds, then a list of them, then their weights, in order
//   rank -> server     unit      the gradients of its shard of the unit, compressed as the plan says
//   server -> rank     unit      the weights of that shard after the update, never compressed
//   rank -> server 0   kVote     asynchronous updates only: what the rank votes; answered by what all have voted so far
//   rank -> server     kLeave    the rank needs the server no more
#pragma once

#include <cstdint>

namespace ringside::serverprotocol {

enum Tag : int
{
    kStart,
    kVote,
    kLeave,
    kFirstUnit
};

constexpr int tagOf(std::uint32_t unit)
{
    return kFirstUnit + static_cast<int>(unit);
}

struct ShardHead
{
    std::uint32_t unit = 0;
    std::uint32_t unused = 0;
    std::uint64_t numbers = 0;
};

/// The loss is no number; a rank was told to end.
inline constexpr int kVotes = 2;

} // namespace ringside::serverprotocol
