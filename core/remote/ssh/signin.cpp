// SPDX-License-Identifier: MIT
#include "core/remote/ssh/signin.h"

#include "core/base/words.h"

namespace ringside::ssh {

SignIn::SignIn(Session& session, std::stop_token stop)
    : m_session(session)
    , m_stop(std::move(stop))
    , m_doing(Words::tr("Signing in as {}", session.settings().account()))
{
}

Result<Outcome> SignIn::meaning(int answer) const
{
    if (answer == SSH_AUTH_SUCCESS)
        return Outcome::done;
    if (answer == SSH_AUTH_PARTIAL)
        return Outcome::partial;
    if (answer == SSH_AUTH_DENIED)
        return Outcome::refused;
    return tl::unexpected(withAdvice(m_session.failure(Words::tr("{} failed", m_doing))));
}

Error SignIn::withAdvice(Error error) const
{
    const bool tooMany = error.message.find("Too many authentication failures") != std::string::npos;
    if (error.code != ErrorCode::unavailable || !(tooMany || m_refused))
        return error;
    return {ErrorCode::permission, error.message,
            Words::tr("Name the right key with IdentityFile and IdentitiesOnly in the ssh configuration.")};
}

Outcome SignIn::record(Outcome outcome, const std::string& what)
{
    m_refused = m_refused || outcome == Outcome::refused;
    if (outcome == Outcome::refused)
        m_tried.push_back(Words::tr("{} (refused)", what));
    else
        m_how = m_how.empty() ? what : Words::tr("{}, then {}", m_how, what);
    return outcome;
}

Error SignIn::refusal() const
{
    const std::string tried =
        m_tried.empty() ? Words::tr("no key was found") : fmt::format("{}", fmt::join(m_tried, ", "));
    if (m_userMissing)
        return {
            ErrorCode::needsUser,
            Words::tr("{} wants a password, a code or a passphrase. Tried without: {}.", settings().account(), tried),
            Words::tr("Sign in by hand.")};
    return {ErrorCode::permission,
            Words::tr("{} did not accept the sign-in of {}. Tried: {}.", settings().place(), settings().user, tried),
            Words::tr("Check the user name, and whether the site knows your public key.")};
}

} // namespace ringside::ssh
