// SPDX-License-Identifier: MIT
// Signing in by public key: what ssh-agent holds, then the key files with their certificates.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/agent.h"
#include "core/remote/ssh/keyfiles.h"
#include "core/remote/ssh/signin.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::ssh {

/// Servers hang up after six refusals as a rule (MaxAuthTries): four keys leave room for one answer of a person.
inline constexpr int kMaxOfferedKeys = 4;

class KeyOffers
{
public:
    /// Reads public keys and asks the agent for its list. `human` may be null.
    KeyOffers(SignIn& signIn, Interaction* human);

    /// Offers one key after the other until one is not refused; called again, it goes on with the next.
    Result<Outcome> tryNext();

private:
    void openAgent();
    void chooseIdentities();
    void choose(const AgentIdentity& identity);
    std::size_t placeOf(const AgentIdentity& identity) const;
    /// False, and written down once, when the server would soon hang up, or the key was offered before.
    bool mayOffer(const std::string& blob);
    Result<Outcome> tryIdentity(const AgentIdentity& identity);
    Result<Outcome> tryFile(KeyFile& file);
    Result<Outcome> offer(KeyFile& file, const KeyHandle* certificate);
    Result<KeyFile::State> load(KeyFile& file);

    SignIn& m_signIn;
    Interaction* m_human;
    std::unique_ptr<Agent> m_agent;
    std::vector<AgentIdentity> m_identities; ///< of m_agent, in the order of offering
    std::size_t m_nextIdentity = 0;
    std::vector<KeyFile> m_files;
    std::size_t m_nextFile = 0;
    std::vector<std::string> m_offered; ///< blobs
    bool m_stopped = false;
};

} // namespace ringside::ssh
