// SPDX-License-Identifier: MIT
// Base of the methods of signing in: calling libssh, reading its answer, and the record of what was tried.
#pragma once

#include "core/remote/ssh/session.h"

#include <string>
#include <vector>

namespace ringside::ssh {

enum class Outcome
{
    refused,
    partial, ///< right, and the server wants more
    done,
};

class SignIn
{
public:
    SignIn(Session& session, std::stop_token stop);

    ssh_session session() const { return m_session.get(); }
    const HostSettings& settings() const { return m_session.settings(); }
    const std::stop_token& stop() const { return m_stop; }

    /// Calls a function of libssh until it has an answer of the server (SSH_AUTH_…).
    template <class Call> Result<int> ask(Call function)
    {
        return m_session.finish(SSH_AUTH_AGAIN, Deadline(kServerLimit, m_stop), m_doing, function)
            .map_error([this](Error error) { return withAdvice(std::move(error)); });
    }
    /// The same for a call that proves something to the server.
    template <class Call> Result<Outcome> finish(Call function)
    {
        TRY_ASSIGN(const int answer, ask(function));
        return meaning(answer);
    }
    Result<Outcome> meaning(int answer) const;

    /// Notes how a proof by `what` ended, and returns `outcome`.
    Outcome record(Outcome outcome, const std::string& what);
    /// Notes what could not even be tried.
    void recordProblem(std::string problem) { m_tried.push_back(std::move(problem)); }
    /// Notes that something was left out because no person could answer.
    void recordUserMissing() { m_userMissing = true; }

    /// "key ~/.ssh/id_ed25519, then answers to the server's questions".
    const std::string& how() const { return m_how; }
    /// The error of a sign-in in which nothing helped.
    Error refusal() const;

private:
    /// A server that hung up after it had refused something has refused us: trying again by itself could lock the
    /// account.
    Error withAdvice(Error error) const;

    /// A server may wait itself: for a push to be confirmed, or after a wrong password.
    static constexpr std::chrono::milliseconds kServerLimit{120'000};

    Session& m_session;
    std::stop_token m_stop;
    std::string m_doing;
    std::vector<std::string> m_tried;
    std::string m_how;
    bool m_refused = false;
    bool m_userMissing = false;
};

} // namespace ringside::ssh
