// SPDX-License-Identifier: MIT
#include "core/conductor/remoteaccess.h"

#include "core/base/clock.h"
#include "core/base/words.h"

namespace ringside {

namespace {

using Kind = SiteStep::Kind;
using State = SiteStep::State;

SshAddress addressOf(const Site& site)
{
    return {{site.host, site.user, site.port}, site.sshConfig};
}

Kind kindOf(ssh::ConnectStep::Kind kind)
{
    switch (kind) {
    case ssh::ConnectStep::Kind::reach:
        return Kind::reach;
    case ssh::ConnectStep::Kind::hostKey:
        return Kind::hostKey;
    case ssh::ConnectStep::Kind::signIn:
        break;
    }
    return Kind::signIn;
}

std::chrono::milliseconds since(std::int64_t beganNs)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(monotonicNs() - beganNs));
}

std::optional<int> percentOf(const deployment::DeploymentStep& step)
{
    if (step.totalBytes == 0)
        return std::nullopt;
    return static_cast<int>(100 * step.doneBytes / step.totalBytes);
}

} // namespace

RemoteAccess::RemoteAccess(SiteBook book, std::string name, std::vector<deployment::AgentFile> agents,
                           Interaction* interaction, OnSiteStep onStep)
    : m_book(std::move(book))
    , m_name(std::move(name))
    , m_agents(std::move(agents))
    , m_interaction(interaction)
    , m_onStep(std::move(onStep))
{
}

std::string RemoteAccess::place() const
{
    return m_host ? m_host->name() : m_name;
}

Result<RelayClient> RemoteAccess::dial(Presence presence, std::stop_token stop)
{
    TRY(readSite());
    TRY(signIn(presence == Presence::interactive ? m_interaction : nullptr, std::move(stop)));
    return startAgent();
}

/// A connection made by an older description is of no more use.
Result<void> RemoteAccess::readSite()
{
    TRY_ASSIGN(Site site, m_book.find(m_name));
    if (m_host && site == m_site)
        return {};
    m_site = std::move(site);
    m_host.emplace(addressOf(m_site));
    return {};
}

Result<void> RemoteAccess::signIn(Interaction* human, std::stop_token stop)
{
    if (m_host->isConnected())
        return {};
    Kind reached = Kind::reach;
    const auto connected = m_host->connect(human, stop, [&](const ssh::ConnectStep& step) {
        reached = kindOf(step.kind);
        if (step.ok)
            report(step);
    });
    m_isRefused = !connected && reached == Kind::hostKey && connected.error().code == ErrorCode::permission;
    if (!connected && stop.stop_requested()) { // whatever it broke off with: nothing is wrong there
        report(reached, State::notTried, Words::tr("stopped"));
        return ringside::fail(ErrorCode::cancelled, Words::tr("The connection to {} was stopped.", place()));
    }
    if (!connected)
        fail(reached, connected.error());
    return connected;
}

Result<RelayClient> RemoteAccess::startAgent()
{
    const std::int64_t beganNs = monotonicNs();
    const deployment::DeploymentSettings settings{m_site.root, m_site.agent, m_site.worker, m_agents};
    auto dialled = deployment::dial(*m_host, settings, [this](const deployment::DeploymentStep& step) {
        m_onStep({m_name, Kind::agent, State::running, step.text, {}, {}, percentOf(step)});
    });
    if (!dialled) {
        fail(Kind::agent, dialled.error());
        return tl::unexpected(dialled.error());
    }
    const wire::Hello& peer = dialled->relay.peer();
    const std::string what = Words::tr("ringside-agent {} on {}", peer.version, peer.host);
    report(Kind::agent, State::ok, dialled->uploaded ? Words::tr("{}, just brought there", what) : what,
           since(beganNs));
    return std::move(dialled->relay);
}

Result<std::string> RemoteAccess::bringSource(const std::string& root)
{
    TRY_ASSIGN(const fs::path bundle, deployment::sourceBundle());
    return deployment::placeSource(*m_host, bundle, root, [this](const deployment::DeploymentStep& step) {
        m_onStep({m_name, Kind::worker, State::running, step.text, {}, {}, percentOf(step)});
    });
}

bool RemoteAccess::isOutdated() const
{
    const auto now = m_book.find(m_name);
    return now && *now != m_site;
}

void RemoteAccess::hangUp()
{
    if (m_host)
        m_host->disconnect();
}

/// Without a connection there is nothing to do; the next `dial` makes one.
void RemoteAccess::tick()
{
    if (m_host && m_host->isConnected())
        (void)m_host->tick();
}

void RemoteAccess::report(Kind kind, State state, const std::string& text, std::chrono::milliseconds took)
{
    m_onStep({m_name, kind, state, text, {}, took, std::nullopt});
}

void RemoteAccess::report(const ssh::ConnectStep& step)
{
    const bool isNamed = step.isJump || step.kind == ssh::ConnectStep::Kind::reach;
    report(kindOf(step.kind), State::ok, isNamed ? Words::tr("{}: {}", step.host, step.found) : step.found, step.took);
}

void RemoteAccess::fail(Kind kind, const Error& error)
{
    m_onStep({m_name, kind, State::failed, error.message, error.hint, {}, std::nullopt});
}

} // namespace ringside
