// SPDX-License-Identifier: MIT
// Signs in with what a person answers: the server's questions, or a password. Each answer is sent once.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/signin.h"

#include <vector>

namespace ringside::ssh {

/// A server that goes on asking, by questions or by one partial success after another, is not meant well.
inline constexpr int kMaxRounds = 10;

class Questions
{
public:
    /// `human` may be null: then everything is refused and written down as missing.
    Questions(SignIn& signIn, Interaction* human);

    /// Shows what the server says to everybody who signs in.
    void showGreeting();
    /// keyboard-interactive. Fails with permission when the answers were refused.
    Result<Outcome> answerServer();
    /// Fails with permission when the password was refused.
    Result<Outcome> givePassword();

private:
    bool isPersonThere();
    /// Sends what was answered; the next of SSH_AUTH_….
    Result<int> goOn();
    /// One round of the server's prompts; true if there was something to answer.
    Result<bool> answerRound();
    Result<Outcome> tryPassword(const PromptRound& round);
    Result<std::vector<Secret>> ask(const PromptRound& round);
    /// `outcome` if it is no refusal.
    Result<Outcome> unlessRefused(Outcome outcome, const std::string& what);

    /// Describes the answers, by the server's own words.
    std::string answersGiven() const;

    SignIn& m_signIn;
    Interaction* m_human;
    int m_rounds = 0;
    std::vector<std::string> m_asked; ///< prompts of this method, in their order
};

} // namespace ringside::ssh
