// SPDX-License-Identifier: MIT
// Limits how long something may take, and says whether it was called off.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/words.h"

#include <algorithm>
#include <chrono>
#include <poll.h>
#include <stop_token>
#include <string_view>
#include <vector>

namespace ringside::ssh {

/// A stop request is seen within this time.
inline constexpr std::chrono::milliseconds kStopLook{100};

class Deadline
{
public:
    explicit Deadline(std::chrono::milliseconds limit, std::stop_token stop = {})
        : m_limit(limit)
        , m_untilNs(monotonicNs() + toNs(limit))
        , m_stop(std::move(stop))
    {
    }

    /// Fails with timeout or cancelled. `doing` begins the sentence: "Connecting to alder".
    Result<void> check(std::string_view doing) const
    {
        if (m_stop.stop_requested())
            return fail(ErrorCode::cancelled, Words::tr("{} was stopped on request.", doing));
        if (monotonicNs() >= m_untilNs)
            return fail(ErrorCode::timeout, Words::tr("{} took longer than {} s.", doing, m_limit.count() / 1000),
                        Words::tr("Check the network, and whether the machine is up."));
        return {};
    }

    /// Waits for one of `set`, the deadline, or the next look at the stop request.
    void poll(std::vector<pollfd> set) const
    {
        const std::int64_t leftMs =
            std::clamp<std::int64_t>((m_untilNs - monotonicNs()) / 1'000'000 + 1, 0, kStopLook.count());
        ::poll(set.data(), set.size(), static_cast<int>(leftMs));
    }

    const std::stop_token& stop() const { return m_stop; }

private:
    std::chrono::milliseconds m_limit;
    std::int64_t m_untilNs;
    std::stop_token m_stop;
};

} // namespace ringside::ssh
