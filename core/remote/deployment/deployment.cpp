// SPDX-License-Identifier: MIT
#include "core/remote/deployment/deployment.h"

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/layout.h"
#include "core/remote/deployment/survey.h"
#include "core/remote/transfer/transfer.h"

#include <algorithm>

namespace ringside::deployment {

namespace {

void report(const DeploymentProgress& progress, DeploymentStep step)
{
    if (progress)
        progress(step);
}

std::string folderOf(const std::string& path)
{
    return fs::path(path).parent_path().string();
}

/// Puts a file there after a survey of its folder.
Result<void> placeSurveyed(Host& host, const Survey& survey, const fs::path& local, const std::string& target,
                           const std::string& purpose, const DeploymentProgress& progress)
{
    std::error_code ignored;
    if (auto error = hindrance(survey, folderOf(target), host.name(), fs::file_size(local, ignored)))
        return tl::unexpected(std::move(*error));
    TransferOptions options;
    options.mode = 0700; // programs are run; for anything else it does no harm
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        report(progress, {Words::tr("Copying {} to {}", purpose, host.name()), done, total});
    };
    return uploadFile(host, local, (fs::path(survey.home) / target).string(), options); // an absolute one stays itself
}

/// A command whose paths begin at home, wherever the start files of the login shell have led.
CommandLine fromHome(CommandLine command)
{
    constexpr const char* kScript = R"sh(cd 2>/dev/null; exec "$@")sh";
    command.arguments.insert(command.arguments.begin(), {"sh", "-c", kScript, "sh"});
    return command;
}

std::string listOf(const std::vector<AgentFile>& agents)
{
    std::string list;
    for (const auto& agent : agents)
        list += (list.empty() ? "" : ", ") + agent.system;
    return list.empty() ? Words::tr("none") : list;
}

Error noAgentFor(const std::string& system, const std::string& host, const std::vector<AgentFile>& agents)
{
    return {
        ErrorCode::unavailable,
        Words::tr("{} is a {} machine; this Ringside has agents for: {}.", host, system, listOf(agents)),
        Words::tr("Build ringside-agent for it (“installers/agent-for.sh {}” of Ringside's source) and put it beside "
                  "Ringside's programs as ringside-agent-{}, or set the site's agent to one that is there.",
                  system.substr(system.find('-') + 1), system)};
}

class Deployment
{
public:
    Deployment(Host& host, const DeploymentSettings& settings, std::string root, const DeploymentProgress& progress)
        : m_host(host)
        , m_settings(settings)
        , m_root(std::move(root))
        , m_progress(progress)
    {
    }

    Result<Dialled> dialGiven()
    {
        const std::string& agent = m_settings.agent;
        return connect(agent.starts_with("~/") ? "." + agent.substr(1) : agent).map_error([this](Error error) {
            error.hint +=
                " " + Words::tr("The site's agent is set to {}: Ringside brings none of its own.", m_settings.agent);
            return error;
        });
    }

    /// The first agent is a guess; the survey says which it has to be.
    Result<Dialled> dialOurs(const AgentFile& agent, bool isGuess = true)
    {
        TRY_ASSIGN(const std::string hash, sha256OfFile(agent.path));
        const std::string path = layout::agentFile(m_root, RINGSIDE_VERSION, agent.system, hash).string();
        auto dialled = connect(path);
        if (dialled || !mayBeMissing(dialled.error()))
            return dialled;
        report(m_progress, {Words::tr("Looking at {}", m_host.name())});
        TRY_ASSIGN(const Survey found, survey(m_host, {folderOf(path), path}));
        if (found.system() != agent.system)
            return dialOther(found.system(), isGuess);
        if (found.presentHash == hash)
            return tl::unexpected(whyItFails(dialled.error(), found, path));
        TRY(placeSurveyed(m_host, found, agent.path, path, Words::tr("the agent"), m_progress));
        auto again = connect(path);
        if (!again)
            return tl::unexpected(whyItFails(again.error(), found, path));
        again->uploaded = true;
        return again;
    }

private:
    Result<Dialled> dialOther(const std::string& system, bool isGuess)
    {
        const auto agent = std::ranges::find(m_settings.agents, system, &AgentFile::system);
        if (agent == m_settings.agents.end() || !isGuess)
            return tl::unexpected(noAgentFor(system, m_host.name(), m_settings.agents));
        return dialOurs(*agent, false);
    }

    Result<Dialled> connect(const std::string& agent)
    {
        report(m_progress, {Words::tr("Starting the agent on {}", m_host.name())});
        CommandLine command = relayCommand(agent, m_root, m_settings.worker);
        if (!m_root.starts_with('/') || agent.starts_with("./"))
            command = fromHome(std::move(command));
        TRY_ASSIGN(RelayClient relay, RelayClient::connect(m_host, command));
        return Dialled{std::move(relay), std::move(command), false};
    }

    /// Returns whether the relay ended before it greeted. Silence, a damaged stream or another version are not cured by
    /// an upload.
    static bool mayBeMissing(const Error& error) { return error.code == ErrorCode::unavailable; }

    /// It is there, whole, and yet does not serve: the folder or the shell may forbid it, else it printed why itself.
    Error whyItFails(Error said, const Survey& found, const std::string& path) const
    {
        if (said.message.find("restricted") != std::string::npos)
            said.hint = Words::tr("The login shell of this account ({}) is restricted. Ask the site's support for one "
                                  "that is not, or set the site's agent to one that lies in its PATH.",
                                  found.shell);
        return hindrance(found, folderOf(path), m_host.name(), 0).value_or(said);
    }

    Host& m_host;
    const DeploymentSettings& m_settings;
    std::string m_root;
    const DeploymentProgress& m_progress;
};

} // namespace

Result<bool> place(Host& host, const fs::path& local, const std::string& target, const std::string& purpose,
                   const DeploymentProgress& progress)
{
    TRY_ASSIGN(const std::string hash, sha256OfFile(local));
    TRY_ASSIGN(const Survey found, survey(host, {folderOf(target), target}));
    if (found.presentHash == hash)
        return false;
    TRY(placeSurveyed(host, found, local, target, purpose, progress));
    return true;
}

Result<fs::path> sourceBundle()
{
    TRY_ASSIGN(const fs::path programs, programFolder());
    const fs::path bundle = (programs / "../share/ringside/worker-source.tar.gz").lexically_normal();
    std::error_code ignored;
    if (!fs::exists(bundle, ignored))
        return fail(ErrorCode::unavailable, Words::tr("The worker's source, {}, is not there.", bundle.string()),
                    Words::tr("Build or install Ringside again."));
    return bundle;
}

Result<std::string> placeSource(Host& host, const fs::path& bundle, const std::string& root,
                                const DeploymentProgress& progress)
{
    TRY_ASSIGN(const std::string folder, layout::checkedRoot(root));
    TRY_ASSIGN(std::string hash, sha256OfFile(bundle));
    TRY(place(host, bundle, layout::sourceFile(folder, hash).string(), Words::tr("the worker's source"), progress)
            .map([](bool) {}));
    return hash;
}

Result<Dialled> dial(Host& host, const DeploymentSettings& settings, const DeploymentProgress& progress)
{
    TRY_ASSIGN(std::string root, layout::checkedRoot(settings.root));
    Deployment deployment(host, settings, std::move(root), progress);
    if (!settings.agent.empty())
        return deployment.dialGiven();
    if (settings.agents.empty())
        return fail(ErrorCode::unavailable, Words::tr("There is no ringside-agent beside Ringside's programs."),
                    Words::tr("Build or install it again."));
    return deployment.dialOurs(settings.agents.front());
}

} // namespace ringside::deployment
