// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks how long a site has not answered while a command waits for it, and why it does not. The conductor tries again
// by itself, as far as that makes sense.
#pragma once

#include "core/base/error.h"
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

    /// A line for people once the launch was answered; nullopt where there is no news. `failure`: why it failed
    /// although its campaign is stored and goes on.
    std::optional<std::string> begin(const std::optional<SiteStatus>& now, const std::optional<Error>& failure);
    /// The same where contact was lost or is back, or cannot come back in the way that was said before.
    std::optional<std::string> update(const SiteStatus& status);

    /// True once contact has been lost for longer than the limit.
    bool isGivenUp() const { return m_loss && Clock::now() - m_loss->since >= m_limit; }
    /// A sentence that says why there is none, and where only a person can get it back, what to do.
    std::string why() const;

private:
    struct Loss
    {
        Clock::time_point since;
        SiteStatus::Contact kind = SiteStatus::Contact::lost; ///< or needsPerson, or refused
        std::string text;
    };
    std::optional<std::string> lose(SiteStatus::Contact kind, const std::string& text);

    std::chrono::seconds m_limit;
    std::optional<Loss> m_loss;
};

} // namespace ringside::cli
