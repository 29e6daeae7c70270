// SPDX-License-Identifier: MIT
#include "core/remote/ssh/connection.h"

#include "core/base/text.h"
#include "core/remote/ssh/authentication.h"
#include "core/remote/ssh/hostkeys.h"
#include "core/remote/ssh/tunnel.h"

namespace ringside::ssh {

namespace {

std::string serverSoftware(const Session& session)
{
    const char* banner = ssh_get_serverbanner(session.get());
    const std::string text = plainText(banner ? banner : "");
    return text.starts_with("SSH-2.0-") ? text.substr(8) : text;
}

/// Connects hop after hop; each next one through the session before it.
class Connector
{
public:
    Connector(Interaction* human, std::stop_token stop, const OnConnectStep& onStep)
        : m_human(human)
        , m_stop(std::move(stop))
        , m_onStep(onStep)
    {
    }

    Result<std::unique_ptr<Session>> hop(std::unique_ptr<Session> previous, const HostSettings& settings, bool isJump)
    {
        m_isJump = isJump;
        std::unique_ptr<Session> session;
        const auto reach = [&]() -> Result<std::string> {
            TRY_ASSIGN(session, this->reach(std::move(previous), settings));
            return serverSoftware(*session);
        };
        TRY(step(ConnectStep::Kind::reach, settings, reach));
        TRY(step(ConnectStep::Kind::hostKey, settings, [&] { return verifyHostKey(*session, m_human); }));
        TRY(step(ConnectStep::Kind::signIn, settings, [&] { return signIn(*session, m_human, m_stop); }));
        return session;
    }

private:
    Result<std::unique_ptr<Session>> reach(std::unique_ptr<Session> previous, const HostSettings& settings)
    {
        const auto limit = [&] { return Deadline(settings.connectLimit, m_stop); }; // from now on
        TRY_ASSIGN(std::unique_ptr<Transport> transport,
                   previous ? openTunnel(std::move(previous), settings.hostName, settings.port, limit())
                            : connectTcp(settings, m_stop));
        auto session = std::make_unique<Session>(std::move(transport), settings);
        TRY(session->handshake(preferredHostKeys(settings), limit()));
        return session;
    }

    template <class Work> Result<void> step(ConnectStep::Kind kind, const HostSettings& settings, Work work)
    {
        const auto began = std::chrono::steady_clock::now();
        const Result<std::string> found = work();
        const auto took = std::chrono::steady_clock::now() - began;
        if (m_onStep)
            m_onStep({kind, settings.place(), found.value_or(std::string()),
                      std::chrono::duration_cast<std::chrono::milliseconds>(took), found.has_value(), m_isJump});
        return found ? Result<void>() : Result<void>(tl::unexpected(found.error()));
    }

    Interaction* m_human;
    std::stop_token m_stop;
    const OnConnectStep& m_onStep;
    bool m_isJump = false; ///< of the hop under way
};

} // namespace

Result<std::unique_ptr<Session>> connect(const std::vector<HostSettings>& route, Interaction* human,
                                         const std::stop_token& stop, const OnConnectStep& onStep)
{
    Connector connector(human, stop, onStep);
    std::unique_ptr<Session> session;
    for (const HostSettings& settings : route) {
        TRY_ASSIGN(session, connector.hop(std::move(session), settings, &settings != &route.back()));
    }
    return session;
}

} // namespace ringside::ssh
