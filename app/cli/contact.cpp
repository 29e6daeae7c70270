// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/contact.h"

#include <fmt/format.h>
#include <utility>

namespace ringside::cli {

using State = SiteStatus::Contact;

namespace {

bool isLoss(State state)
{
    return state == State::lost || state == State::needsPerson || state == State::refused;
}

} // namespace

/// A status that says nothing of a loss is older than the failure, or the failure has another reason.
std::optional<std::string> Contact::begin(const std::optional<SiteStatus>& now, const std::optional<Error>& failure)
{
    if (now && isLoss(now->contact))
        return update(*now);
    if (!failure)
        return std::nullopt;
    if (now && now->contact == State::connected)
        return fmt::format("ringside-cli: {}", failure->text());
    return lose(State::lost, failure->text());
}

std::optional<std::string> Contact::update(const SiteStatus& status)
{
    if (isLoss(status.contact))
        return lose(status.contact, status.text);
    if (status.contact != State::connected || !std::exchange(m_loss, std::nullopt))
        return std::nullopt;
    return "Contact is back.";
}

/// A further try that fails is no news; that no further one is made is.
std::optional<std::string> Contact::lose(State kind, const std::string& text)
{
    const bool isNews = !m_loss || m_loss->kind != kind;
    m_loss = Loss{m_loss ? m_loss->since : Clock::now(), kind, text};
    if (!isNews)
        return std::nullopt;
    return kind == State::lost ? fmt::format("ringside-cli: {} Retrying for {} s.", text, m_limit.count())
                               : fmt::format("ringside-cli: {}", text);
}

std::string Contact::why() const
{
    if (!m_loss || m_loss->kind == State::lost)
        return fmt::format("The site has not answered for {} s.", m_limit.count());
    return fmt::format("Contact does not come back by itself: {}", m_loss->text);
}

} // namespace ringside::cli
