// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks how long a site has not answered while a command waits for it. The conductor tries again by itself.
#pragma once

#include "core/conductor/sink.h"

#include <chrono>
#include <optional>
#include <string>

namespace ringside::cli {

class Contact
{
public:
    using Clock = std::chrono::steady_clock;

    explicit Contact(std::chrono::seconds limit)
        : m_limit(limit)
    {
    }

    /// A line for people where contact was lost or is back; nullopt where that is no news.
    std::optional<std::string> update(const SiteStatus& status);
    /// The same for an error that says so.
    std::optional<std::string> lose(const std::string& why);

    /// True once contact has been lost for longer than the limit.
    bool isGivenUp() const { return m_lostAt && Clock::now() - *m_lostAt >= m_limit; }
    std::chrono::seconds limit() const { return m_limit; }

private:
    std::optional<std::string> noteLoss(std::string line);

    std::chrono::seconds m_limit;
    std::optional<Clock::time_point> m_lostAt;
};

} // namespace ringside::cli
