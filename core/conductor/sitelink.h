// SPDX-License-Identifier: MIT
// The line to one site: a relay there while it is needed, tries again after a loss, notices silence. Reports to the
// sink the state of contact.
#pragma once

#include "core/base/files.h"
#include "core/conductor/sink.h"
#include "core/conductor/siteaccess.h"

#include <memory>
#include <mutex>

namespace ringside {

/// After so much silence the relay is asked for a sign of life …
inline constexpr std::int64_t kPingAfterNs = 10'000'000'000;
/// … and after so much it counts as gone although its pipe is open (UX message 4).
inline constexpr std::int64_t kSilenceLimitNs = 30'000'000'000;
/// Pause before the next try to reach a site; doubled by each that fails, from the first to the last.
inline constexpr std::int64_t kFirstRetryNs = 500'000'000;
inline constexpr std::int64_t kLastRetryNs = 30'000'000'000;

/// Used from one thread, except `wake`.
class SiteLink
{
public:
    SiteLink(std::string name, SiteAccess& access, Sink& sink);

    const std::string& name() const { return m_name; }
    bool isConnected() const { return m_client != nullptr; }
    /// The folder of Ringside's files on the site; empty without contact.
    fs::path root() const { return m_client ? fs::path(m_client->peer().root) : fs::path(); }
    /// True if the pause after the last failed try is over, and a try without a person makes sense.
    bool mayTry() const;
    /// Blocking (SiteAccess::dial). After `hangUp` only for a person.
    Result<void> connect(Presence presence, std::stop_token stop);
    /// Returns why there is no contact.
    const Error& lastError() const { return m_lastError; }
    /// After an error of `send` or `receive`. The sink is informed.
    void drop(const Error& error);
    /// No contact is wanted any more, until it is wanted again.
    void hangUp();
    /// Sets when an earlier program last received something from the site (wall clock, ns): before the first contact
    /// nothing newer is known.
    void setLastHeard(std::int64_t wallNs) { m_lastHeard = wallNs; }
    /// Returns when contact was lost (wall clock, ns): failed tries since then change nothing.
    std::int64_t lostAt() const { return m_lostAt; }

    Result<void> send(const wire::Message& message);
    /// Sends a request under a number of its own, and returns that. Fails with usage for a request that is too large;
    /// a lost line is noticed by `receive`, too.
    template <class Request> Result<std::uint32_t> ask(Request request)
    {
        request.requestId = nextRequest();
        return send(request).map([&] { return request.requestId; });
    }
    std::uint32_t nextRequest() { return ++m_lastRequest; }
    /// Waits up to `limit`. An error means that contact is lost: `drop` it.
    Result<std::optional<wire::Message>> receive(std::chrono::milliseconds limit);
    /// Ends a `receive` that waits. From any thread.
    void wake();

    /// For the sink, from a probe: "4 cores", and what else the site is.
    void describe(const std::string& text, const std::vector<SiteFact>& facts);

private:
    void report(SiteStatus::Contact contact, const std::string& text);
    Result<void> checkSilence();

    std::string m_name;
    SiteAccess& m_access;
    Sink& m_sink;
    std::int64_t m_lookedNs = 0;
    std::int64_t m_silenceNs = 0; ///< time without a word from the site, as far as it was listened to
    bool m_pinged = false;
    bool m_isHungUp = false;
    std::int64_t m_retryAtNs = 0;
    std::int64_t m_retryPauseNs = kFirstRetryNs;
    std::int64_t m_lostAt = 0;    ///< 0: there is contact, or there never was
    std::int64_t m_lastHeard = 0; ///< by an earlier program; 0: there was contact since, or nothing is known
    std::uint32_t m_lastRequest = 0;
    Error m_lastError;
    std::string m_described; ///< what it is, once it was probed: true of the next line, too
    std::mutex m_mutex;      ///< m_client is changed under it, so that `wake` finds it whole
    std::unique_ptr<RelayClient> m_client;
};

} // namespace ringside
