// SPDX-License-Identifier: MIT
// Turns a message of gradients into their sum over the ranks, or into the weights that servers make of it.
#pragma once

#include "agent/worker/plans/exchangepolicy.h"
#include "agent/worker/plans/payload.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace ringside {

struct Sent
{
    /// By its clock.
    struct OnGpu
    {
        std::chrono::nanoseconds took{};
        std::chrono::nanoseconds sinceLast{}; ///< the one before it ended; of the first the most there is
    };
    std::uint64_t bytes = 0;    ///< that this rank handed to the communicator
    std::optional<OnGpu> onGpu; ///< absent: it lasted since its start
};

/// A message that was started.
class Started
{
public:
    virtual ~Started() = default;
    /// The result, once it has ended; not called again then. Does not wait, but makes progress on transfers.
    virtual Result<std::optional<Sent>> poll() = 0;
    /// Happens on a GPU when it has ended: who enqueues behind that finds its result, and need not wait for the end.
    /// Null: that has to be waited for.
    virtual const c10::Event* there() const { return nullptr; }
};

/// Used by the exchange thread alone.
class Carrier
{
public:
    virtual ~Carrier() = default;

    /// Waits until what a GPU computes of them is there, unless the GPU itself does.
    virtual void await(std::span<const Payload> payloads) = 0;
    /// The payloads of the units, which were awaited. May carry the message out before it returns.
    virtual Result<std::unique_ptr<Started>> start(const Units& units, std::span<const Payload> payloads) = 0;
    /// The sleep before started messages are polled again, by the time since the last start or end.
    virtual std::chrono::microseconds napAfter(std::chrono::nanoseconds) const { return std::chrono::microseconds(0); }
    /// Messages end in the order of their starts: those behind one that goes on are not polled.
    virtual bool endsInOrder() const { return true; }
    /// True if unfinished transfers are to be awaited when the thread ends.
    virtual bool isFinished() const { return true; }
};

/// Wraps a carrier that handles so many units in an iteration; used by tests.
using AroundCarrier = std::function<std::unique_ptr<Carrier>(std::unique_ptr<Carrier> carrier, std::size_t units)>;
inline std::unique_ptr<Carrier> asItIs(std::unique_ptr<Carrier> carrier, std::size_t)
{
    return carrier;
}

} // namespace ringside
