// SPDX-License-Identifier: MIT
// Decides which gradients travel together where layers are merged: by the rule of MG-WFBP (grouping `merged`; Shi, Chu
// and Li, INFOCOM 2019; as in _generate_groups_mgwfbp of HKBU-HPML/MG-WFBP, distributed_optimizer.py, commit 5b8ad54)
// or as is best (grouping `optimal`), and what any grouping costs by the same model. Pure; seconds.
//
// Gradients become ready one after the other while backward runs, from the last layer to the first, and one message
// travels at a time: a message starts when its gradients are ready and the one before it has ended.
#pragma once

#include "core/protocol/plantables.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ringside::model {

/// A gradient in the order in which they become ready.
struct ReadyGradient
{
    double readyAt = 0; ///< since backward began; does not fall from one to the next
    std::uint64_t bytes = 0;
};

/// Seconds of an all-reduce of so many bytes; 0 for 0 bytes.
using MessageCost = std::function<double(std::uint64_t bytes)>;

/// Numbers of neighbouring gradients in each message, in their order; they add up to all.
using Groups = std::vector<std::size_t>;

/// Adds the next gradient to a message if that becomes ready before the message would have ended, and either the
/// message has not started by then, or by waiting for it less time is lost than one message less saves. The saving
/// is cost(a) + cost(b) - cost(a + b): the latency of a linear cost, which is what the source has in its place.
Groups mergeGradients(std::span<const ReadyGradient> gradients, const MessageCost& cost);

/// The grouping whose last message ends first, of all there are. The rule
/// above decides step by step and comes close: within 7 % of this over the random cases of its test. O(n²) in time.
Groups bestGroups(std::span<const ReadyGradient> gradients, const MessageCost& cost);

using MergeRule = Groups (*)(std::span<const ReadyGradient> gradients, const MessageCost& cost);
/// Returns the rule of a grouping by measured times; nullptr for any other.
MergeRule mergeRuleOf(Grouping grouping);

struct Exchange
{
    double end = 0;     ///< of the last message, since backward began
    double exposed = 0; ///< of it, after backward: what the iteration waits for
};
/// `groups` of all gradients; backward ends when the last is ready.
Exchange exchangeOf(std::span<const ReadyGradient> gradients, const Groups& groups, const MessageCost& cost);

} // namespace ringside::model
