// SPDX-License-Identifier: MIT
#include "core/conductor/sitelink.h"

#include "core/base/clock.h"
#include "core/base/words.h"

#include <algorithm>
#include <utility>

namespace ringside {

namespace {

/// From the end of one `receive` to the begin of the next; a longer time is one in which this program did not run.
constexpr std::chrono::milliseconds kLongestTurn{1000};

/// After a try, or a line, that has ended.
SiteStatus::Contact contactWithout(const SiteAccess& access)
{
    if (access.isRefused())
        return SiteStatus::Contact::refused;
    return access.waitsForPerson() ? SiteStatus::Contact::needsPerson : SiteStatus::Contact::lost;
}

} // namespace

SiteLink::SiteLink(std::string name, SiteAccess& access, Sink& sink)
    : m_name(std::move(name))
    , m_access(access)
    , m_sink(sink)
    , m_lastError{ErrorCode::unavailable, Words::tr("There was no contact with {} yet.", m_name), {}}
{
}

bool SiteLink::mayTry() const
{
    return monotonicNs() >= m_retryAtNs && !m_isHungUp && !m_access.waitsForPerson();
}

Result<void> SiteLink::connect(Presence presence, std::stop_token stop)
{
    if (m_isHungUp && presence == Presence::unattended)
        return tl::unexpected(m_lastError);
    m_isHungUp = false;
    report(SiteStatus::Contact::connecting, Words::tr("connecting"));
    auto client = m_access.dial(presence, std::move(stop));
    if (!client) {
        drop(client.error());
        return tl::unexpected(client.error());
    }
    {
        const std::lock_guard lock(m_mutex);
        m_client = std::make_unique<RelayClient>(std::move(*client));
    }
    m_lookedNs = monotonicNs();
    m_silenceNs = 0;
    m_retryPauseNs = kFirstRetryNs;
    m_lostAt = m_lastHeard = 0;
    report(SiteStatus::Contact::connected, m_described.empty() ? m_client->peer().host : m_described);
    return {};
}

void SiteLink::drop(const Error& error)
{
    std::unique_ptr<RelayClient> gone;
    {
        const std::lock_guard lock(m_mutex);
        gone = std::move(m_client);
    }
    gone.reset();
    if (m_lostAt == 0)
        m_lostAt = m_lastHeard == 0 ? wallNs() : m_lastHeard;
    m_pinged = false;
    m_retryAtNs = monotonicNs() + m_retryPauseNs;
    m_retryPauseNs = std::min(2 * m_retryPauseNs, kLastRetryNs);
    m_lastError = error;
    report(contactWithout(m_access), error.text());
}

void SiteLink::hangUp()
{
    m_isHungUp = true;
    if (m_client)
        drop({ErrorCode::cancelled, Words::tr("{} was disconnected.", m_name),
              Words::tr("Jobs continue there; connect again to fetch their samples.")});
    m_access.hangUp();
}

Result<void> SiteLink::send(const wire::Message& message)
{
    if (!m_client)
        return fail(ErrorCode::unavailable, Words::tr("There is no contact with {}.", m_access.place()),
                    Words::tr("It is tried again by itself."));
    const std::int64_t beganNs = monotonicNs();
    TRY(m_client->send(message));
    m_lookedNs += monotonicNs() - beganNs; // while it reads what is sent it need not answer
    return {};
}

Result<std::optional<wire::Message>> SiteLink::receive(std::chrono::milliseconds limit)
{
    auto message = m_client->receive(limit);
    const std::int64_t nowNs = monotonicNs();
    const std::int64_t passedNs = nowNs - std::exchange(m_lookedNs, nowNs);
    if (message && *message) {
        m_silenceNs = 0;
        m_pinged = false;
    } else if (message) {
        // While this program is suspended it neither asks nor listens, and nor does a relay that is suspended with it.
        m_silenceNs += std::min(passedNs, toNs(limit + kLongestTurn));
        TRY(checkSilence());
    }
    return message;
}

Result<void> SiteLink::checkSilence()
{
    if (m_silenceNs > kSilenceLimitNs)
        return fail(ErrorCode::timeout,
                    Words::tr("No answer from {} for {} s.", m_access.place(), kSilenceLimitNs / 1'000'000'000));
    if (m_silenceNs > kPingAfterNs && !m_pinged) {
        m_pinged = true;
        return send(wire::Ping{1});
    }
    return {};
}

void SiteLink::wake()
{
    const std::lock_guard lock(m_mutex);
    if (m_client)
        m_client->wake();
}

void SiteLink::describe(const std::string& text, const std::vector<SiteFact>& facts)
{
    m_described = text;
    m_sink.siteFound(m_name, facts);
    report(SiteStatus::Contact::connected, text);
}

void SiteLink::report(SiteStatus::Contact contact, const std::string& text)
{
    m_sink.siteChanged({m_name, contact, m_lostAt == 0 ? wallNs() : m_lostAt, text});
}

} // namespace ringside
