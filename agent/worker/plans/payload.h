// SPDX-License-Identifier: MIT
// Gradients as they are handed to the thread that exchanges them.
#pragma once

#include <c10/core/Event.h>
#include <span>

namespace ringside {

/// Numbers in the host's memory, or in a GPU's where the exchange works on that. Numbers that a GPU still computes or
/// copies are there once the event has happened, which lives at least as long as the exchange.
struct Payload
{
    std::span<float> numbers;
    const c10::Event* there = nullptr; ///< null: they are

    Payload() = default;
    Payload(std::span<float> these, const c10::Event* whenThere = nullptr)
        : numbers(these)
        , there(whenThere)
    {
    }

    Payload part(std::size_t first, std::size_t count) const { return {numbers.subspan(first, count), there}; }
    /// Any thread. Errors of the device are exceptions of libtorch.
    bool isThere() const;
    void await() const;
};

} // namespace ringside
