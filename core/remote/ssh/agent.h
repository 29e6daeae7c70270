// SPDX-License-Identifier: MIT
// ssh-agent, one identity at a time: left alone, libssh offers all that the agent holds until the server hangs up.
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <libssh/libssh.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ringside::ssh {

struct AgentIdentity
{
    std::string blob;    ///< the public key, or the certificate, as it goes over the wire
    std::string comment; ///< plain text
    std::string signer;  ///< the key that signs for a certificate which the agent does not hold itself; else empty

    /// "ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com".
    std::string type() const;
    /// A key in a token answers only when it is touched.
    bool needsTouch() const { return type().starts_with("sk-"); }
};

/// Stands between the user's agent and libssh, in a thread of its own, because libssh talks to an agent without a
/// limit.
class Agent
{
public:
    /// Asks for the identities. `signLimit`: how long a signature may take (a person may have to confirm it).
    static Result<std::unique_ptr<Agent>> open(const fs::path& socket, std::chrono::milliseconds signLimit);
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    const std::vector<AgentIdentity>& identities() const { return m_identities; }

    /// From now on the session's agent is this one. Once per session.
    Result<void> attach(ssh_session session);
    /// The identity that libssh sees from now on.
    void show(const AgentIdentity& identity);
    /// No signature is waited for any more, now or later. From any thread.
    void giveUp();

private:
    Agent(Descriptor agent, std::vector<AgentIdentity> identities);
    void serve();
    std::string answerTo(const std::string& request);
    std::string forwarded(const std::string& signRequest);

    Descriptor m_agent;
    std::vector<AgentIdentity> m_identities;
    std::mutex m_mutex;
    std::string m_shown;  ///< the answer to a request for identities; under m_mutex
    std::string m_signer; ///< of what is shown; under m_mutex
    Descriptor m_near;    ///< libssh holds the other end
    std::thread m_server;
};

} // namespace ringside::ssh
