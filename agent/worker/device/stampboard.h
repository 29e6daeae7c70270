// SPDX-License-Identifier: MIT
// Instants by number: those at which the host is somewhere, or those at which a device gets there.
#pragma once

#include "agent/worker/device/streams.h"

#include <memory>
#include <optional>
#include <vector>

namespace ringside {

/// One thread at a time.
class StampBoard
{
public:
    virtual ~StampBoard() = default;

    /// As many, none of which was stamped.
    virtual void clear(std::size_t stamps) = 0;
    virtual bool has(std::size_t stamp) const = 0;
    /// Now; on a device, behind what is enqueued on the current stream. Again: the later one counts.
    virtual void put(std::size_t stamp) = 0;
    /// The start instant for `since`: now, behind the enqueued work.
    virtual std::int64_t zero() = 0;
    /// Another one, on a device only: when this timed event happened, before the last `zero`. Waits
    /// for the device, as the next does.
    virtual std::int64_t instantOf(const c10::Event& event) const = 0;
    /// A stamp that was put, in ns after that instant: any of CLOCK_MONOTONIC on the host, on a device one of the two
    /// above.
    virtual std::int64_t since(std::int64_t zeroNs, std::size_t stamp) const = 0;
};

std::unique_ptr<StampBoard> makeStampBoard(c10::Device device);

} // namespace ringside
