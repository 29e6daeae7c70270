// SPDX-License-Identifier: MIT
// A machine behind SSH: one connection, signed in to once, with all commands on it.
#pragma once

#include "core/remote/host.h"
#include "core/remote/interaction.h"
#include "core/remote/ssh/connectstep.h"
#include "core/remote/ssh/target.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ringside {

namespace ssh {
class Session;
}

/// Host to connect to, and the file that says how: see ssh::routeTo.
struct SshAddress
{
    ssh::Target target;
    fs::path configFile; ///< a site's own; empty for ~/.ssh/config and the system's
};

/// Used from one thread. Its channels may outlive it, and belong to the same thread.
class SshHost : public Host
{
public:
    explicit SshHost(SshAddress address);
    ~SshHost() override;

    std::string name() const override { return m_address.target.host; }
    std::chrono::nanoseconds roundTrip() const override;

    /// Asks for the configuration, reaches the host (through its jump hosts), verifies it and signs in. Blocking; the
    /// limit of each wait is in the configuration (ConnectTimeout), but a person takes as long as it takes. `human` may
    /// be null: then nothing that needs a person is tried, and after a failure that only a person can mend (refused,
    /// needsUser, another host key) it fails with the same error without trying the network: no account is locked by
    /// retries. Does nothing if there is a connection.
    Result<void> connect(Interaction* human, std::stop_token stop = {}, const ssh::OnConnectStep& onStep = {});
    bool isConnected() const;
    void disconnect();
    /// Returns why the last try failed, if only a person can mend it.
    const std::optional<Error>& refusal() const { return m_refusal; }

    /// Connects without a person first if there is no connection. The caller decides how often that is tried.
    /// Blocking, at most 15 s on an open connection.
    Result<std::unique_ptr<Channel>> start(const CommandLine& command) override;
    Result<std::vector<std::unique_ptr<Channel>>> startAll(const std::vector<CommandLine>& commands) override;

    /// To be called every few seconds while no channel is read: sends keep-alives and notices their absence. Never
    /// blocks. Fails without a connection.
    Result<void> tick();
    /// To be polled by callers that wait only for the end of the connection.
    std::vector<pollfd> pollSet() const;

    /// Lists what the configuration asks for and Ringside does not do, of all hops; known after `connect`.
    const std::vector<std::string>& notes() const { return m_notes; }

private:
    Result<void> tryToConnect(Interaction* human, const std::stop_token& stop, const ssh::OnConnectStep& onStep);

    SshAddress m_address;
    std::shared_ptr<ssh::Session> m_session;
    std::optional<Error> m_refusal; ///< what only a person can mend
    std::stop_token m_stop;         ///< of the last connection, and of the one that a command brings up anew
    std::vector<std::string> m_notes;
};

} // namespace ringside
