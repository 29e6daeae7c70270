// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/contact.h"

#include <fmt/format.h>
#include <utility>

namespace ringside::cli {

std::optional<std::string> Contact::update(const SiteStatus& status)
{
    if (status.contact == SiteStatus::Contact::lost)
        return lose(status.text);
    if (status.contact != SiteStatus::Contact::connected || !std::exchange(m_lostAt, std::nullopt))
        return std::nullopt;
    return "Contact is back.";
}

std::optional<std::string> Contact::lose(const std::string& why)
{
    if (m_lostAt)
        return std::nullopt;
    m_lostAt = Clock::now();
    return fmt::format("ringside-cli: {} Retrying for {} s.", why, m_limit.count());
}

} // namespace ringside::cli
