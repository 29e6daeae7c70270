// SPDX-License-Identifier: MIT
// Chooses the units of gradients that are sent next or together. Units (units.h) are numbered as backward reaches them.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/aggregationplan.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ringside {

using Units = std::vector<std::uint32_t>;

/// Units that are sent together.
struct Message
{
    std::uint32_t name = 0; ///< in timings
    Units units;
};

/// One for each exchange thread, and used by it alone, but for `begin`, which comes while that thread is idle.
class ExchangePolicy
{
public:
    virtual ~ExchangePolicy() = default;

    /// A new iteration, of which nothing is ready.
    virtual void begin() = 0;
    /// This rank has a unit ready.
    virtual void add(std::uint32_t unit) = 0;
    /// True if `next` may return something without a further unit.
    virtual bool hasWork() const = 0;
    /// True if the next message is chosen late, of units that a GPU has computed: when the one before is nearly
    /// complete. Else it is chosen of the units that the GPU was asked to compute.
    virtual bool choosesLate() const { return false; }
    /// The messages to send now, in this order; every unit once. Only where there is work. May communicate, and sleep
    /// for a while. The same on all ranks where the exchange is collective.
    virtual Result<std::vector<Message>> next() = 0;
};

/// Each unit by itself, in the order of their numbers, whatever the order in which they become ready: ranks need not
/// agree.
std::unique_ptr<ExchangePolicy> inOrder();

/// Each unit by itself, of those that are ready the one of the highest `urgency` (by unit), equals as they came. For
/// exchanges that need no other rank to do the same.
std::unique_ptr<ExchangePolicy> mostUrgentFirst(std::vector<std::uint32_t> urgency);

/// Chooses the messages to send now, at least one, from units that all ranks have ready and not sent yet, in the order
/// of their numbers. Pure.
using Choose = std::function<std::vector<Units>(const Units& ready)>;
enum class Named
{
    byUnit, ///< the first of a message
    byPlace ///< the message's in its iteration
};

/// The least time from one agreement to the next. `goesOn`: cycles follow one another while nothing is ready, too, so
/// that what becomes ready waits for the next one, as in Horovod. They are counted from the end of the last agreement,
/// which is about the same moment on all ranks.
struct Cycle
{
    std::chrono::microseconds length;
    bool goesOn = false;
    bool choosesLate = false; ///< see ExchangePolicy
};

/// Ranks agree on what all of `units` units they have ready (an and-reduction of a bit for each), once a cycle, and
/// exchange the choice of `choose`. Stores the reference.
std::unique_ptr<ExchangePolicy> agreed(Communicator& ranks, std::size_t units, Cycle cycle, Choose choose, Named named);

/// A plan's policy among ranks that sum.
struct PlanPolicy
{
    std::unique_ptr<ExchangePolicy> policy;
    std::uint64_t mostTogether = 0; ///< bytes of a message of several units; 0: each is one unit
};
/// By the table of policies (policies.cpp). `bytes` is by unit. Stores the reference.
PlanPolicy policyOf(const AggregationPlan& plan, std::vector<std::uint64_t> bytes, Communicator& ranks);

/// Tensor fusion: messages filled with units in their order up to `threshold` bytes; a larger unit is one by itself
/// (Sergeev and Del Balso, "Horovod: fast and easy distributed deep learning in TensorFlow", arXiv 1802.05799, section
/// 4). Pure. `bytes` is by unit.
std::vector<Units> fuse(const Units& ready, const std::vector<std::uint64_t>& bytes, std::uint64_t threshold);

/// The front-most first (they have the highest numbers), since the next forward pass needs them first (Jayarajan et
/// al., "Priority-based parameter propagation for distributed DNN training", MLSys 2019); each a message by itself, one
/// more as long as those before it hold less than a chunk together. So the ranks agree once a chunk and not once for
/// each small tensor, and what becomes ready waits for no more than about two chunks. Pure. `bytes` is by unit.
std::vector<Units> frontMost(const Units& ready, const std::vector<std::uint64_t>& bytes, std::uint64_t chunk);

} // namespace ringside
