// SPDX-License-Identifier: MIT
// A site behind SSH: signs in once, brings the agent if it is not there, and starts it.
#pragma once

#include "core/conductor/siteaccess.h"
#include "core/remote/deployment/deployment.h"
#include "core/remote/interaction.h"
#include "core/remote/ssh/sshhost.h"
#include "core/sites/sitebook.h"
#include "core/sites/sitestep.h"

#include <functional>
#include <optional>

namespace ringside {

/// Called on the site's thread.
using OnSiteStep = std::function<void(const SiteStep&)>;

class RemoteAccess final : public SiteAccess
{
public:
    /// Questions to a person go to `interaction`, which outlives this; null where no person can be asked.
    RemoteAccess(SiteBook book, std::string name, std::vector<deployment::AgentFile> agents, Interaction* interaction,
                 OnSiteStep onStep);

    std::string place() const override;
    bool isHere() const override { return false; }
    Result<RelayClient> dial(Presence presence, std::stop_token stop) override;
    bool waitsForPerson() const override { return m_host && m_host->refusal().has_value(); }
    bool isRefused() const override { return waitsForPerson() && m_isRefused; }
    bool isOutdated() const override;
    void hangUp() override;
    void tick() override;

    /// As it was described at the last `dial`.
    const Site& site() const { return m_site; }
    /// Brings the worker's source there; returns its SHA-256. Blocking; after a `dial`.
    Result<std::string> bringSource(const std::string& root);

private:
    Result<void> readSite();
    Result<void> signIn(Interaction* human, std::stop_token stop);
    Result<RelayClient> startAgent();
    void report(SiteStep::Kind kind, SiteStep::State state, const std::string& text,
                std::chrono::milliseconds took = {});
    void report(const ssh::ConnectStep& step);
    void fail(SiteStep::Kind kind, const Error& error);

    SiteBook m_book;
    std::string m_name;
    std::vector<deployment::AgentFile> m_agents;
    Interaction* m_interaction;
    OnSiteStep m_onStep;
    Site m_site;
    std::optional<SshHost> m_host; ///< of m_site
    bool m_isRefused = false;      ///< the last try to sign in ended at the host's key
};

} // namespace ringside
