// SPDX-License-Identifier: MIT
#include "agent/runner/startranks.h"

#include "agent/runner/procfs.h"
#include "core/base/child.h"
#include "core/base/descriptor.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"
#include "core/base/shellquote.h"
#include "core/jobs/launcher.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

using Words = std::vector<std::string>;

Words tieWords(const StartRanksOptions& options)
{
    if (options.control)
        return {"--control", options.control->string()};
    return options.runnerHeartbeat ? Words{"--runner-heartbeat", options.runnerHeartbeat->string()} : Words{};
}

Words joined(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// Arguments common to guards of one rank and starters of several.
Words agentWords(const StartRanksOptions& options, const fs::path& agent, const char* command, const Words& own)
{
    Words words{agent.string(),           command,   "--attempt",
                options.attempt.string(), "--ranks", std::to_string(options.ranks)};
    words = joined(joined(std::move(words), tieWords(options)), own);
    if (options.plan)
        return joined(std::move(words), {"--plan", options.plan->string(), "--run", options.run});
    words.emplace_back("--");
    return joined(std::move(words), options.command);
}

/// A child that gets `script` on standard input, if there is one, and ends with this process.
Result<pid_t> start(Words words, int localRank, const fs::path& attempt, const std::string& script)
{
    const auto input = script.empty() ? std::nullopt : std::make_optional<Pipe>();
    if (input && input->input.get() < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot make a pipe: {}.", std::strerror(errno)));
    const auto child = startChild({.arguments = std::move(words),
                                   .environment = environmentWith({{kTcpLocalRankVariable, std::to_string(localRank)},
                                                                   {kAttemptVariable, attempt.string()}}),
                                   .input = input ? input->output.get() : STDIN_FILENO,
                                   .output = STDOUT_FILENO,
                                   .errors = STDERR_FILENO,
                                   .group = ChildStart::Group::ours,
                                   .deathSignal = SIGTERM});
    if (child && input)
        (void)!::write(input->input.get(), script.data(), script.size()); // an ssh that ends early says why itself
    return child;
}

Result<std::vector<pid_t>> startGuards(const StartRanksOptions& options, const fs::path& agent)
{
    std::vector<int> ranks = options.here;
    for (int rank = 0; options.here.empty() && rank < options.ranks; ++rank)
        ranks.push_back(rank);
    std::vector<pid_t> children;
    for (const int rank : ranks) {
        Words words = agentWords(options, agent, "rank", {"--rank", std::to_string(rank)});
        TRY_ASSIGN(const pid_t child, start(std::move(words), static_cast<int>(children.size()), options.attempt, {}));
        children.push_back(child);
    }
    return children;
}

/// The other side's login shell sees three plain words; what is to be done comes on standard input.
Result<std::vector<pid_t>> startOnHosts(const StartRanksOptions& options, const fs::path& agent)
{
    Words hosts = options.hosts;
    std::ranges::sort(hosts);
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    std::vector<pid_t> children;
    for (const std::string& host : hosts) {
        Words own;
        for (std::size_t rank = 0; rank < options.hosts.size(); ++rank)
            if (options.hosts[rank] == host)
                own = joined(std::move(own), {"--rank", std::to_string(rank)});
        std::string script = "exec";
        for (const std::string& word : agentWords(options, agent, "ranks", own))
            script += " " + shellQuote(word);
        Words ssh{"ssh", "-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "--", host, "sh", "-s"};
        TRY_ASSIGN(const pid_t child, start(std::move(ssh), 0, options.attempt, script + "\n"));
        children.push_back(child);
    }
    return children;
}

} // namespace

Result<int> startRanks(const StartRanksOptions& options, const fs::path& agent)
{
    ::signal(SIGPIPE, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    TRY_ASSIGN(auto children, options.hosts.empty() ? startGuards(options, agent) : startOnHosts(options, agent));
    int code = 0, status = 0;
    while (!children.empty()) {
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended < 0 && errno != EINTR)
            break;
        std::erase(children, ended);
        code = code == 0 ? exitCodeOf(status) : code;
        if (code == jobs::kSshFailed && !options.hosts.empty())
            return code; // the others would wait for ranks that never come
    }
    return code;
}

} // namespace ringside::runner
