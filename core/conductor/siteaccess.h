// SPDX-License-Identifier: MIT
// Starts a relay for the thread of a site: on this computer as a process, elsewhere by signing in and bringing the
// agent (RemoteAccess).
#pragma once

#include "core/remote/localhost.h"
#include "core/remote/relayclient.h"

#include <stop_token>
#include <string>

namespace ringside {

/// States whether a person waits for the connection, and so can be asked.
enum class Presence
{
    unattended, ///< nothing may be asked
    interactive
};

/// Used on the site's thread only.
class SiteAccess
{
public:
    virtual ~SiteAccess() = default;
    /// As messages name it: "this computer", "alder.example.org".
    virtual std::string place() const = 0;
    /// On this computer, where a relay costs nothing.
    virtual bool isHere() const = 0;
    /// A relay there. Blocking; every wait for a machine has a limit.
    virtual Result<RelayClient> dial(Presence presence, std::stop_token stop) = 0;
    /// The last `dial` failed of something that only a person can mend: it is not tried again without one.
    virtual bool waitsForPerson() const = 0;
    /// True if the host's key was refused: nothing is sent there, and no answer here leads on.
    virtual bool isRefused() const = 0;
    /// The site was described otherwise since the last `dial`.
    virtual bool isOutdated() const = 0;
    /// Lets go of what `dial` shares between relays: the next one signs in anew.
    virtual void hangUp() = 0;
    /// Sends keep-alives on an open line and notices when it is gone. Never blocks; to be called every second or so.
    virtual void tick() = 0;
};

class LocalAccess final : public SiteAccess
{
public:
    explicit LocalAccess(CommandLine relay)
        : m_relay(std::move(relay))
    {
    }
    std::string place() const override { return m_host.name(); }
    bool isHere() const override { return true; }
    Result<RelayClient> dial(Presence, std::stop_token) override { return RelayClient::connect(m_host, m_relay); }
    bool waitsForPerson() const override { return false; }
    bool isRefused() const override { return false; }
    bool isOutdated() const override { return false; }
    void hangUp() override {}
    void tick() override {}

private:
    LocalHost m_host;
    CommandLine m_relay;
};

} // namespace ringside
