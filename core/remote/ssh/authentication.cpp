// SPDX-License-Identifier: MIT
#include "core/remote/ssh/authentication.h"

#include "core/base/words.h"
#include "core/remote/ssh/keyoffers.h"
#include "core/remote/ssh/questions.h"

namespace ringside::ssh {

namespace {

Result<Outcome> tryMethod(SignInMethod method, int allowed, KeyOffers& keys, Questions& questions)
{
    switch (method) {
    case SignInMethod::publicKey:
        return (allowed & SSH_AUTH_METHOD_PUBLICKEY) ? keys.tryNext() : Outcome::refused;
    case SignInMethod::keyboardInteractive:
        return (allowed & SSH_AUTH_METHOD_INTERACTIVE) ? questions.answerServer() : Outcome::refused;
    case SignInMethod::password:
        return (allowed & SSH_AUTH_METHOD_PASSWORD) ? questions.givePassword() : Outcome::refused;
    }
    return Outcome::refused;
}

/// One method after the other until one is not refused.
Result<Outcome> tryMethods(int allowed, const HostSettings& settings, KeyOffers& keys, Questions& questions)
{
    Outcome outcome = Outcome::refused;
    for (auto method = settings.methods.begin(); method != settings.methods.end() && outcome == Outcome::refused;
         ++method) {
        TRY_ASSIGN(outcome, tryMethod(*method, allowed, keys, questions));
    }
    return outcome;
}

} // namespace

Result<std::string> signIn(Session& session, Interaction* human, std::stop_token stop)
{
    SignIn current(session, std::move(stop));
    KeyOffers keys(current, human);
    Questions questions(current, human);
    TRY_ASSIGN(Outcome outcome, current.finish([&] { return ssh_userauth_none(session.get(), nullptr); }));
    questions.showGreeting();
    bool refused = false;
    while (outcome != Outcome::done && !refused) {
        TRY_ASSIGN(outcome, tryMethods(ssh_userauth_list(session.get(), nullptr), session.settings(), keys, questions));
        refused = outcome == Outcome::refused;
    }
    if (refused)
        return tl::unexpected(current.refusal());
    return current.how().empty() ? Words::tr("no proof was asked for") : current.how();
}

} // namespace ringside::ssh
