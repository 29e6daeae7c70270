// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/contact.h"

#include <fmt/format.h>
#include <utility>

namespace ringside::cli {

std::optional<std::string> Contact::update(const SiteStatus& status)
{
    switch (status.contact) {
    case SiteStatus::Contact::never:
    case SiteStatus::Contact::connecting:
        return std::nullopt;
    case SiteStatus::Contact::connected:
        return std::exchange(m_lostAt, std::nullopt) ? std::optional<std::string>("Contact is back.") : std::nullopt;
    case SiteStatus::Contact::lost:
        return lose(status.text);
    case SiteStatus::Contact::needsPerson:
    case SiteStatus::Contact::refused: // neither is tried again by itself
        break;
    }
    return noteLoss(fmt::format("ringside-cli: {}", status.text));
}

std::optional<std::string> Contact::lose(const std::string& why)
{
    return noteLoss(fmt::format("ringside-cli: {} Retrying for {} s.", why, m_limit.count()));
}

std::optional<std::string> Contact::noteLoss(std::string line)
{
    if (m_lostAt)
        return std::nullopt;
    m_lostAt = Clock::now();
    return line;
}

} // namespace ringside::cli
