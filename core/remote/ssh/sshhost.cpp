// SPDX-License-Identifier: MIT
#include "core/remote/ssh/sshhost.h"

#include "core/base/words.h"
#include "core/remote/ssh/channel.h"
#include "core/remote/ssh/connection.h"
#include "core/remote/ssh/route.h"
#include "core/remote/ssh/shellline.h"

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kStartLimit{15'000};

/// Trying again by itself would only annoy the server, or lock the account.
bool needsPerson(ErrorCode code)
{
    return code == ErrorCode::permission || code == ErrorCode::needsUser || code == ErrorCode::cancelled ||
           code == ErrorCode::usage;
}

/// Fails with unavailable if the libssh that this program found is older than 0.10.6, whose holes are known.
Result<void> checkLibssh()
{
    if (ssh_version(SSH_VERSION_INT(0, 10, 6)))
        return {};
    const std::string_view version = ssh_version(0);
    return fail(
        ErrorCode::unavailable,
        Words::tr("This computer has libssh {}, which has known security holes; Ringside needs 0.10.6 or later.",
                  version.substr(0, version.find('/'))),
        Words::tr("Update the package libssh-4."));
}

} // namespace

SshHost::SshHost(SshAddress address)
    : m_address(std::move(address))
{
}

SshHost::~SshHost() = default; // where Session is complete

Result<void> SshHost::connect(Interaction* human, std::stop_token stop, const ssh::OnConnectStep& onStep)
{
    if (isConnected())
        return {};
    if (!human && m_refusal)
        return tl::unexpected(*m_refusal);
    m_session.reset();
    m_refusal.reset();
    m_stop = stop;
    auto connected = tryToConnect(human, stop, onStep);
    if (!connected && !stop.stop_requested() && needsPerson(connected.error().code))
        m_refusal = connected.error();
    return connected;
}

Result<void> SshHost::tryToConnect(Interaction* human, const std::stop_token& stop, const ssh::OnConnectStep& onStep)
{
    TRY(checkLibssh());
    TRY_ASSIGN(const std::vector<ssh::HostSettings> route, ssh::routeTo(m_address.target, m_address.configFile, stop));
    m_notes.clear();
    for (const ssh::HostSettings& settings : route)
        m_notes.insert(m_notes.end(), settings.notes.begin(), settings.notes.end());
    TRY_ASSIGN(m_session, ssh::connect(route, human, stop, onStep));
    return {};
}

bool SshHost::isConnected() const
{
    return m_session && m_session->isAlive();
}

std::chrono::nanoseconds SshHost::roundTrip() const
{
    return m_session ? m_session->roundTrip() : std::chrono::nanoseconds();
}

void SshHost::disconnect()
{
    if (m_session)
        m_session->close();
    m_session.reset();
}

Result<std::unique_ptr<Channel>> SshHost::start(const CommandLine& command)
{
    TRY_ASSIGN(auto channels, startAll({command}));
    return std::move(channels.front());
}

Result<std::vector<std::unique_ptr<Channel>>> SshHost::startAll(const std::vector<CommandLine>& commands)
{
    std::vector<std::string> lines;
    for (const CommandLine& command : commands) {
        TRY_ASSIGN(lines.emplace_back(), ssh::shellLine(command));
    }
    TRY(connect(nullptr, m_stop));
    return ssh::openChannels(m_session, lines, ssh::Deadline(kStartLimit));
}

Result<void> SshHost::tick()
{
    if (!m_session)
        return fail(ErrorCode::unavailable, Words::tr("There is no connection to {}.", name()));
    return m_session->tick();
}

std::vector<pollfd> SshHost::pollSet() const
{
    std::vector<pollfd> set;
    if (m_session)
        m_session->addPolls(set);
    return set;
}

} // namespace ringside
